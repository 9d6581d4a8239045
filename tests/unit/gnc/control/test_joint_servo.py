"""The joint servo on a two-mass joint with LuGre friction: tracking, rest, payloads, torque, limits, mode switches."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from numba import njit
from scipy.linalg import expm

from freefloat.engine.onboard import OnboardCode
from freefloat.errors import InputError
from freefloat.gnc.control import servo_gains
from freefloat.gnc.control.joint_servo import POSITION_MODE, TORQUE_MODE, JointServo, servo_tick
from freefloat.gnc.control.servo_gains import ServoDrive, ServoGains, damping_ratio, position_loop

T, SUBSTEPS = 1e-3, 50  # [s] sampling, 20 us of the plant
QUANTUM = 2.0 * math.pi / 2**16  # [rad]
TORQUE_QUANTUM = 0.01  # [N m]
FREE = math.nan  # the link turns as the torque wants


@dataclass(frozen=True)
class Joint:
    """A drive, its friction and the links it turns."""

    ratio: float
    rotor: float  # [kg m^2]
    stiffness: float
    damping: float
    effort: float
    coulomb: float
    stiction: float
    viscous: float
    bristle: float
    bristle_damping: float
    links: tuple[float, float]  # [kg m^2] least, largest

    def plant(self, link: float, friction: bool) -> np.ndarray:
        J, on = self.rotor * self.ratio**2, float(friction)
        worn = [on * v for v in (self.coulomb, self.stiction, self.viscous, self.bristle, self.bristle_damping)]
        return np.array([J, self.stiffness, self.damping, link, *worn])

    def drive(self) -> ServoDrive:
        return ServoDrive(
            self.ratio,
            self.rotor,
            self.stiffness,
            self.damping,
            self.effort,
            *self.links,
        )

    def servo(self, **more: Any) -> JointServo:
        return JointServo.tuned(self.drive(), **more)


SHOULDER = Joint(160.0, 1e-4, 1e4, 10.0, 160.0, 4.0, 6.0, 10.0, 1e4, 20.0, (5.0, 70.0))
WRIST = Joint(100.0, 2e-5, 8e3, 3.0, 80.0, 1.5, 2.2, 3.0, 5e3, 5.0, (0.005, 2.0))
STRIBECK = 0.01  # [rad/s]
CASES = [(SHOULDER, 5.0), (SHOULDER, 70.0), (WRIST, 0.005), (WRIST, 0.05), (WRIST, 2.0)]
every_joint_and_link = pytest.mark.parametrize(("joint", "link"), CASES)
Reference = Callable[[float], tuple[float, float, float]]


@njit
def rates(theta, w, q, qd, z, u, load, turned, p):
    """Of rotor, link and bristle, output side; `turned`: the link's rate is imposed."""
    friction, zd = p[6] * w, 0.0
    if p[4] > 0.0:
        level = p[4] + (p[5] - p[4]) * math.exp(-((w / STRIBECK) ** 2))
        zd = w - p[7] * abs(w) / level * z
        friction += p[7] * z + p[8] * zd
    tau = p[1] * (theta - q) + p[2] * (w - qd)
    return w, (u - friction - tau) / p[0], qd, 0.0 if turned else (tau + load) / p[3], zd


@njit
def moved(x, u, load, turned, p):
    """The joint's state after a sampling period: RK4."""
    h = T / SUBSTEPS
    a, b, c, d, e = x[0], x[1], x[2], x[3], x[4]
    for _ in range(SUBSTEPS):
        k1 = rates(a, b, c, d, e, u, load, turned, p)
        g = 0.5 * h
        k2 = rates(a + g * k1[0], b + g * k1[1], c + g * k1[2], d + g * k1[3], e + g * k1[4], u, load, turned, p)
        k3 = rates(a + g * k2[0], b + g * k2[1], c + g * k2[2], d + g * k2[3], e + g * k2[4], u, load, turned, p)
        k4 = rates(a + h * k3[0], b + h * k3[1], c + h * k3[2], d + h * k3[3], e + h * k3[4], u, load, turned, p)
        a += h / 6.0 * (k1[0] + 2.0 * (k2[0] + k3[0]) + k4[0])
        b += h / 6.0 * (k1[1] + 2.0 * (k2[1] + k3[1]) + k4[1])
        c += h / 6.0 * (k1[2] + 2.0 * (k2[2] + k3[2]) + k4[2])
        d += h / 6.0 * (k1[3] + 2.0 * (k2[3] + k3[3]) + k4[3])
        e += h / 6.0 * (k1[4] + 2.0 * (k2[4] + k3[4]) + k4[4])
    return np.array([a, b, c, d, e])


@dataclass
class Run:
    """What a run left, a value per period."""

    t: np.ndarray
    theta: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    torque: np.ndarray
    tau: np.ndarray
    q_ref: np.ndarray

    @property
    def error(self) -> np.ndarray:
        return self.q_ref - self.q


def simulate(
    servo: JointServo,
    joint: Joint,
    link: float,
    reference: Reference,
    duration: float,
    mode: Callable[[float], int] = lambda t: POSITION_MODE,
    load: Callable[[float], float] = lambda t: 0.0,
    friction: bool = True,
    turning: float = FREE,  # [rad/s] rate at which the link is turned from outside
    differenced: bool = False,  # speed from the quantised position instead of measured
    late: bool = False,  # efforts a period late
    limit: float = math.inf,  # [N m] of the drive itself
    x: np.ndarray | None = None,
) -> Run:
    times = T * np.arange(round(duration / T))
    x = np.zeros(5) if x is None else x.copy()
    turned, p = not math.isnan(turning), joint.plant(link, friction)
    if turned:
        x[3] = turning
    wanted = np.array([(*reference(t), mode(t), load(t)) for t in times])
    servo_side = *servo.state[:3], servo.state.period[0], *servo.state[4:], *servo.out
    rows = driven(wanted, x, p, joint.ratio, turned, differenced, late, limit, servo_side)
    return Run(times, *rows.T, wanted[:, 0])


@njit
def driven(wanted, x, p, ratio, turned, differenced, late, limit, servo):
    """theta, q, q', torque and effort at each update; `wanted` has references, mode and load."""
    rows = np.empty((wanted.shape[0], 5))
    before, held = math.nan, 0.0
    for i in range(wanted.shape[0]):
        torque = p[1] * (x[0] - x[2]) + p[2] * (x[1] - x[3])
        motor = QUANTUM * np.rint(ratio * x[0] / QUANTUM)
        speed = ratio * x[1]
        if differenced:
            speed = 0.0 if math.isnan(before) else (motor - before) / T
        before = motor
        load_side, felt = QUANTUM * np.rint(x[2] / QUANTUM), TORQUE_QUANTUM * np.rint(torque / TORQUE_QUANTUM)
        references = wanted[i, 0:1], wanted[i, 1:2], wanted[i, 2:3]
        measured = np.array([motor]), np.array([speed]), np.array([load_side]), np.array([felt])
        servo_tick(wanted[i, 3:4], references, measured, *servo)
        tau = servo[6][0]
        rows[i] = np.array([x[0], x[2], x[3], torque, tau])
        x = moved(x, min(max(held if late else tau, -limit), limit), wanted[i, 4], turned, p)
        held = tau
    return rows


def quintic(way: float, speed: float, inertia: float = 0.0) -> tuple[Reference, float]:
    """A move with the given largest speed and the torque that the link needs; and its duration."""
    duration = 1.875 * way / speed

    def at(t: float) -> tuple[float, float, float]:
        s = min(t / duration, 1.0)
        rate, bend = 30.0 * s**2 * (1.0 - s) ** 2, 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s)
        place = s**3 * (10.0 - 15.0 * s + 6.0 * s**2)
        return way * place, way / duration * rate, inertia * way / duration**2 * bend

    return at, duration


def at_rest(q: float, tau: float = 0.0) -> Reference:
    return lambda t: (q, 0.0, tau)


def in_torque_mode(t: float) -> int:
    return TORQUE_MODE


def spread(values: np.ndarray) -> float:
    return float(np.ptp(values))


@every_joint_and_link
@pytest.mark.parametrize("differenced", [False, True])
def test_a_slow_move_is_followed_and_ends_without_hunting(joint: Joint, link: float, differenced: bool) -> None:
    """0.2 rad at 0.05 rad/s without any knowledge of friction or link."""
    reference, duration = quintic(0.2, 0.05)
    run = simulate(joint.servo(), joint, link, reference, duration + 5.0, differenced=differenced)
    moving, rest = run.t < duration, run.t > duration + 3.0
    rms, largest = (1.3e-3, 3.5e-3) if joint is SHOULDER else (0.16e-3, 0.75e-3)
    assert np.sqrt(np.mean(run.error[moving] ** 2)) < rms
    assert np.abs(run.error[moving]).max() < largest
    assert np.abs(run.error[rest]).max() < 2.0 * QUANTUM
    assert spread(run.q[rest]) < 2.0 * QUANTUM


@pytest.mark.parametrize(("joint", "link", "load"), [(SHOULDER, 70.0, 0.0), (SHOULDER, 5.0, 15.0), (WRIST, 2.0, 5.0)])
def test_a_minute_at_rest_shows_no_limit_cycle(joint: Joint, link: float, load: float) -> None:
    reference, duration = quintic(0.2, 0.05)
    run = simulate(joint.servo(), joint, link, reference, duration + 70.0, load=lambda t: load)
    rest = run.t > duration + 10.0
    assert np.abs(run.error[rest]).max() < QUANTUM
    assert spread(run.q[rest]) < QUANTUM


@pytest.mark.parametrize(("joint", "link", "rms"), [(SHOULDER, 5.0, 0.35e-3), (SHOULDER, 70.0, 0.4e-3)])
def test_friction_and_link_fed_forward_cut_the_tracking_error(joint: Joint, link: float, rms: float) -> None:
    reference, duration = quintic(0.2, 0.05, inertia=link)
    servo = joint.servo(coulomb=joint.coulomb, viscous=joint.viscous)
    run = simulate(servo, joint, link, reference, duration)
    assert np.sqrt(np.mean(run.error**2)) < rms


@every_joint_and_link
@pytest.mark.parametrize("late", [False, True])
def test_a_step_settles_without_overshoot_with_and_without_payload(joint: Joint, link: float, late: bool) -> None:
    step, within = 0.05, 3.0 if joint is SHOULDER else 0.5
    run = simulate(joint.servo(), joint, link, at_rest(step), within + 4.0, late=late)
    assert np.abs(run.error[run.t > within]).max() < 0.02 * step
    assert run.error.min() > -0.01 * step
    assert np.abs(run.error[-1000:]).max() < 3.0 * QUANTUM
    assert spread(run.q[-1000:]) < 2.0 * QUANTUM


@pytest.mark.parametrize(("joint", "link", "load"), [(SHOULDER, 70.0, 20.0), (WRIST, 2.0, 8.0)])
def test_the_load_side_takes_the_wind_up_out(joint: Joint, link: float, load: float) -> None:
    run = simulate(joint.servo(), joint, link, at_rest(0.0), 10.0, load=lambda t: load)
    assert np.abs(run.error[-1000:]).max() < 2.0 * QUANTUM
    assert run.theta[-1] == pytest.approx(-load / joint.stiffness, abs=2.0 * QUANTUM)


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("joint", [SHOULDER, WRIST])
def test_the_rule_damps_every_link_in_both_modes(joint: Joint, late: bool) -> None:
    gains = ServoGains.tuned(joint.drive())
    assert gains.least_damping(joint.drive(), T, late)[0] > (0.2 if joint is SHOULDER else 0.05)
    J, payload = joint.rotor * joint.ratio**2, joint.links[1]
    loop = position_loop(gains.table[:, 0], J, joint.stiffness, joint.damping, payload, T, late)
    assert damping_ratio(loop, T) > 0.5


def test_the_linear_loop_of_the_rule_is_the_servo_itself() -> None:
    """One update from a small state, against the matrices whose damping the rule promises."""
    drive = SHOULDER.drive()
    gains = ServoGains.tuned(drive)
    J, k, b = 2.56, 1e4, 10.0
    rng = np.random.default_rng(5)
    for mode, loop in ((POSITION_MODE, position_loop), (TORQUE_MODE, servo_gains.torque_loop)):
        servo = JointServo(drive, gains)
        state = 1e-4 * rng.normal(size=7)
        theta, w, q, qd = state[:4]
        servo.state.memory[0], servo.state.mode[0] = state[4], mode
        servo.state.memory[1 + mode] = state[5]
        meas = {"q_ref": [0.0], "qd_ref": [0.0], "tau_ref": [0.0], "motor_q": [160.0 * theta], "motor_qd": [160.0 * w]}
        torque = k * (theta - q) + b * (w - qd)
        tau = servo.update(0.0, {**meas, "q": [q], "torque": [torque], "mode": [mode]})["tau"][0]
        after = loop(gains.table[:, 0], J, k, b, 20.0, T, False) @ state
        np.testing.assert_allclose(tau, after[6], rtol=1e-12)
        np.testing.assert_allclose(servo.state.memory[[0, 1 + mode], 0], after[4:6], rtol=1e-12)
        x = moved(np.array([theta, w, q, qd, 0.0]), tau, 0.0, False, SHOULDER.plant(20.0, False))
        np.testing.assert_allclose(x[:4], after[:4], rtol=1e-6, atol=1e-12)


def test_a_speed_loop_tuned_without_payload_swings_with_it() -> None:
    """Trap: the gains of the bare link, with the payload, swing up at 0.75 Hz."""
    bare = ServoGains.tuned(replace(SHOULDER, links=(5.0, 5.0)).drive())
    A = position_loop(bare.table[:, 0], 2.56, 1e4, 10.0, 70.0, T, False)
    assert damping_ratio(A, T) < 0.0
    s = np.log(np.linalg.eigvals(A)[np.abs(np.linalg.eigvals(A)) > 1e-9].astype(complex)) / T
    worst = s[np.argmin(-s.real / np.abs(s))]
    assert abs(worst) / (2.0 * math.pi) == pytest.approx(0.75, abs=0.01)
    assert damping_ratio(position_loop(bare.table[:, 0], 2.56, 1e4, 10.0, 5.0, T, False), T) > 0.3


@pytest.mark.parametrize(("part", "grows"), [(0.97, False), (1.03, True)])
def test_a_p_on_the_load_alone_is_unstable_above_damping_over_inertia(part: float, grows: bool) -> None:
    """Trap: M s^3 + b s^2 + k s + kp (b s + k), a motor that follows its speed at once. The servo's trim is not."""
    k, b, M = 1e4, 10.0, 70.0
    kp = part * b / M
    loop = np.array([[0.0, -kp, 0.0], [0.0, 0.0, 1.0], [k / M, -(k + b * kp) / M, -b / M]])  # theta, q, q'
    swing = expm(400.0 * loop) @ np.array([0.0, 1e-3, 0.0])
    longer = expm(1600.0 * loop) @ np.array([0.0, 1e-3, 0.0])
    size = [math.hypot(math.sqrt(k / M) * x[1], x[2]) for x in (swing, longer)]
    assert (size[1] > size[0]) == grows
    gains = ServoGains.tuned(SHOULDER.drive())
    kp, wt = gains.position[0], gains.trim[0]
    assert kp > 10.0 * b / M
    # theta' = -kp (theta + wt (q - theta) / (s + wt)), q = theta (b s + k) / (M s^2 + b s + k)
    link = np.polynomial.Polynomial([k, b, M])
    s, one = np.polynomial.Polynomial([0.0, 1.0]), np.polynomial.Polynomial([1.0])
    motor = (s * (s + wt) + kp * s) * link + kp * wt * (k + b * s) * one
    assert motor.roots().real.max() < 0.0


@pytest.mark.parametrize(("joint", "speed"), [(SHOULDER, 0.2), (WRIST, 0.2), (WRIST, -0.05)])
def test_torque_mode_divides_friction_by_one_plus_kt(joint: Joint, speed: float) -> None:
    """A link turned from outside feels F / (1 + kt), and nothing once the integral has worked."""
    servo = joint.servo()
    kt = servo.state.gains[servo_gains.TORQUE, 0]
    servo.state.gains[servo_gains.TORQUE_INTEGRAL] = 0.0
    run = simulate(servo, joint, 1.0, at_rest(0.0), 2.0, in_torque_mode, turning=speed)
    friction = math.copysign(joint.coulomb, speed) + joint.viscous * speed
    assert run.torque[-1] == pytest.approx(-friction / (1.0 + kt), rel=0.02)
    assert kt == (4.0 if joint is SHOULDER else pytest.approx(1.25))
    whole = simulate(joint.servo(), joint, 1.0, at_rest(0.0), 2.0, in_torque_mode, turning=speed)
    assert abs(whole.torque[-1]) < 0.02 * abs(friction)


@pytest.mark.parametrize(("joint", "link"), [(SHOULDER, math.inf), (SHOULDER, 70.0), (WRIST, math.inf), (WRIST, 2.0)])
def test_a_step_of_torque_is_reached_without_ringing(joint: Joint, link: float) -> None:
    held = math.isinf(link)
    wanted = 5.0 if held or joint is SHOULDER else 0.5
    run = simulate(
        joint.servo(),
        joint,
        1.0 if held else link,
        at_rest(0.0, wanted),
        1.5,
        in_torque_mode,
        turning=0.0 if held else FREE,
    )
    assert run.torque.max() < 1.05 * wanted
    assert abs(run.torque[-1] - wanted) < (0.01 if held else 0.2) * wanted


@pytest.mark.parametrize(("joint", "hertz"), [(SHOULDER, 15.0), (WRIST, 30.0)])
def test_a_sine_of_torque_is_followed_up_to_the_bandwidth(joint: Joint, hertz: float) -> None:
    """20 N m on a held link, with friction: less than 3 dB missing at `hertz`, under 5 % and 10 degrees at 2 Hz."""
    gain = {}
    for f in (2.0, hertz):
        w = 2.0 * math.pi * f
        run = simulate(
            joint.servo(),
            joint,
            1.0,
            lambda t, w=w: (0.0, 0.0, 20.0 * math.sin(w * t)),
            1.5,
            in_torque_mode,
            turning=0.0,
        )
        last = run.t >= 0.5 - 1e-9
        gain[f] = 2j * np.mean(run.torque[last] * np.exp(-1j * w * run.t[last])) / 20.0
    assert abs(gain[hertz]) > math.sqrt(0.5)
    assert abs(abs(gain[2.0]) - 1.0) < 0.05
    assert abs(np.angle(gain[2.0])) < math.radians(10.0)


def test_a_joint_that_turns_freely_is_not_braked_by_the_torque_mode() -> None:
    turning = np.array([0.0, 0.1, 0.0, 0.1, 0.0])
    run = simulate(SHOULDER.servo(), SHOULDER, 20.0, at_rest(0.0), 4.0, in_torque_mode, friction=False, x=turning)
    assert run.qd[-1] == pytest.approx(0.1, rel=0.01)


def test_efforts_stay_within_their_limit_and_a_saturated_servo_does_not_overshoot() -> None:
    """A step of 1 rad with 20 N m for a payload that would like 240.

    Gains of a drive with 160 N m, whose rate is too high for this one, overshoot; without anti-windup three times more.
    """
    weak = replace(SHOULDER, effort=20.0)
    run = simulate(weak.servo(), weak, 70.0, at_rest(1.0), 25.0)
    assert np.abs(run.tau).max() == 20.0
    assert run.error.min() > -1e-4
    assert np.abs(run.error[-1000:]).max() < 3.0 * QUANTUM
    hasty = ServoGains.tuned(SHOULDER.drive())
    kept, wound = (
        simulate(JointServo(replace(SHOULDER, effort=known).drive(), hasty), weak, 70.0, at_rest(1.0), 25.0, limit=20.0)
        for known in (20.0, 1e5)
    )
    assert -0.2 < kept.error.min() < -0.05
    assert wound.error.min() < 3.0 * kept.error.min()
    assert np.abs(kept.error[-1000:]).max() < 3.0 * QUANTUM


def test_a_blocked_joint_lets_go_of_its_integral_within_the_effort() -> None:
    servo = SHOULDER.servo()
    simulate(servo, SHOULDER, 1.0, at_rest(0.3), 20.0, turning=0.0)
    assert abs(servo.state.memory[0, 0]) <= SHOULDER.effort
    assert servo.out.tau[0] == SHOULDER.effort


@pytest.mark.parametrize(("joint", "link"), [(SHOULDER, 5.0), (SHOULDER, 70.0), (WRIST, 0.05), (WRIST, 2.0)])
def test_switches_of_the_mode_do_not_jump(joint: Joint, link: float) -> None:
    """Position to torque in mid-move, back with the reference 0.05 rad away, torque again: no jump of the effort."""
    move, _ = quintic(0.2, 0.05)

    def reference(t: float) -> tuple[float, float, float]:
        return move(min(t, 4.0)) if t < 4.0 else (move(4.0)[0] + 0.05, 0.0, 0.0)

    def mode(t: float) -> int:
        return TORQUE_MODE if 3.0 <= t < 4.0 or t >= 8.0 else POSITION_MODE

    run = simulate(joint.servo(), joint, link, reference, 9.0, mode)
    changes = np.abs(np.diff(run.tau))
    for instant in (3.0, 4.0, 8.0):
        i = round(instant / T)
        assert changes[i - 1] < 1e-9, "the first effort is the last one"
        assert changes[i : i + 300].max() < 0.005 * joint.effort
    assert np.abs(run.error[(run.t > 7.5) & (run.t < 8.0)]).max() < 3e-3
    assert np.abs(run.qd[run.t > 8.0]).max() < 0.01


def readings(k: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(k)
    names = "q_ref", "qd_ref", "tau_ref", "motor_q", "motor_qd", "q", "torque"
    sizes = 0.1, 0.05, 5.0, 10.0, 3.0, 0.1, 5.0
    meas = {name: size * rng.normal(size=2) for name, size in zip(names, sizes, strict=True)}
    return {**meas, "mode": np.array([float(k // 50 % 2)])}


def test_a_compiled_tick_gives_the_bytes_of_update_and_so_do_copies() -> None:
    names = "ratio", "rotor", "stiffness", "damping", "effort"
    least, largest = np.array([SHOULDER.links, WRIST.links]).T
    drive = ServoDrive(*(np.array([getattr(j, n) for j in (SHOULDER, WRIST)]) for n in names), least, largest)
    python, machine = (JointServo.tuned(drive, coulomb=[4.0, 1.5]) for _ in range(2))
    for k in range(300):
        if k == 120:
            machine = copy.deepcopy(machine)
        if k == 220:
            machine = pickle.loads(pickle.dumps(machine))
        given = python.update(T * k, readings(k))
        OnboardCode("test", machine, readings(k), compiled=True).run(T * k)
        assert [v.tobytes() for v in given.values()] == [v.tobytes() for v in machine.out], k
        assert python.state.memory.tobytes() == machine.state.memory.tobytes()
        assert (np.abs(given["tau"]) <= drive.effort).all()


def test_bad_input_is_refused_with_what_is_allowed() -> None:
    servo = SHOULDER.servo()
    meas = {name: value[:1] for name, value in readings(1).items()}
    with pytest.raises(InputError, match="mode"):
        servo.update(0.0, {**meas, "mode": np.array([2.0])})
    with pytest.raises(InputError, match="stiffness"):
        replace(SHOULDER, stiffness=-1.0).drive()
    with pytest.raises(InputError, match="link_least"):
        replace(SHOULDER, links=(70.0, 5.0)).drive()
    with pytest.raises(InputError, match="damping ratio"):
        replace(WRIST, damping=0.1).servo()


def test_a_wanted_bandwidth_slows_the_position_loop_and_never_speeds_it_up() -> None:
    assert ServoGains.tuned(SHOULDER.drive(), bandwidth=1.0).position[0] == 1.0
    fastest = ServoGains.tuned(SHOULDER.drive()).position[0]
    assert ServoGains.tuned(SHOULDER.drive(), bandwidth=100.0).position[0] == fastest
