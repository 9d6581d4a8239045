"""Motors of joint drives: torque ripple at a steady speed, and a voltage step of a DC motor."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from freefloat.drives import Driver, Friction, JointDrive, Motor, load_drive
from freefloat.engine.integrator import RK4
from freefloat.engine.mission import Mission
from freefloat.missions.spider.harmonics import Harmonics, fit_harmonics, measured_frequencies
from freefloat.robots.drive_bench import DriveBench
from freefloat.verify.case import Comparison, Plot, at_most, case, compare, within
from freefloat.verify.drawing import errors_over_time
from freefloat.verify.drive_rig import BENCH, EXACT, NO_BRAKE, OPEN_GEAR, SUBSTEPS, bench_run
from freefloat.verify.oracles import dc_motor, motor_ripple

SPEED, CURRENT = 955.0 * math.pi / 30.0, 4.0  # [rad/s] of the rotor, [A]
OFFSET, UNBALANCE, THIRD = 0.015 * CURRENT, 0.015, 0.008  # [A], [-], [-]
STEP, SETTLED = 5e-5, 0.05  # [s]


def _motor(gains: float = 20.0, offset: float = 0.0, unbalance: float = 0.0, third: float = 0.0) -> JointDrive:
    """SPIDER's shoulder without cogging, at a constant temperature, with current loops of `gains` kHz."""
    drive = load_drive("spider-shoulder")
    motor = replace(drive.motor, cogging=0.0, unbalance=unbalance, third_harmonic=third, thermal_capacity=1e12)
    driver = replace(drive.driver, kp=gains * drive.driver.kp, ki=gains * drive.driver.ki, offset=(offset, 0.0))
    return replace(drive, motor=motor, driver=driver, motor_resolver=EXACT, substeps=SUBSTEPS)


def _turning(drive: JointDrive) -> tuple[Harmonics, list[float]]:
    """Harmonics of the rotor's turn in the motor's torque, and the frequencies [Hz] at 1p to 4p."""
    tau = drive.gear.ratio * drive.motor.torque_constant * CURRENT
    bench = DriveBench(BENCH, drive, 10.0, tau=tau, course=SPEED)
    result = Mission([bench], integrator=RK4(STEP), record_rate=1.0 / STEP).run(0.3, strict=True)
    t, torque = result.time(f"{BENCH}.torque_motor"), result[f"{BENCH}.torque_motor"][:, 0]
    t, torque, p = t[t >= SETTLED], torque[t >= SETTLED], drive.motor.pole_pairs
    return fit_harmonics(t, torque, SPEED, 6 * p), measured_frequencies(t, torque, p * SPEED, 4).tolist()


@case(
    "motor-ripple",
    source="closed forms of a two-phase motor behind linear current loops, 955 rpm, 4 A; all together: its steady "
    "state harmonic by harmonic",
)
def motor_ripple_case() -> Iterator[Comparison]:
    """The torque's mean and its harmonics: offset at 1p, unbalance at 2p, third harmonic of the back-EMF at 4p."""
    p = 7
    none, _ = _turning(_motor())
    what = "largest harmonic without imperfections, of the mean"
    yield at_most(what, "-", ours=float(none.amplitudes.max()) / none.mean, tolerance=1e-8)
    for gains, published in ((20.0, 0.39735), (1.0, 0.33517)):
        clean = none if gains == 20.0 else _turning(_motor(gains))[0]
        yield within(
            f"mean torque, loops of {gains:g} kHz", "N m", published=published, ours=clean.mean, tolerance=1e-5
        )
        exact = motor_ripple.mean_torque(_motor(gains), SPEED, CURRENT)
        what = f"the same, relative to the closed form, loops of {gains:g} kHz"
        yield within(what, "-", published=1.0, ours=clean.mean / exact, tolerance=1e-6)
        drive = _motor(gains)
        for k, name, one, closed, tolerance in (
            (1, "offset", _motor(gains, offset=OFFSET), motor_ripple.offset_ripple(drive, OFFSET), 1e-3),
            (
                2,
                "unbalance",
                _motor(gains, unbalance=UNBALANCE),
                motor_ripple.unbalance_ripple(drive, SPEED, CURRENT, UNBALANCE),
                1e-2,
            ),
            (
                4,
                "third harmonic",
                _motor(gains, third=THIRD),
                motor_ripple.third_harmonic_ripple(drive, SPEED, CURRENT, THIRD),
                1e-3,
            ),
        ):
            ours = float(_turning(one)[0].amplitudes[k * p - 1]) / closed
            what = f"{name} alone, ripple at {k}p, relative, loops of {gains:g} kHz"
            yield within(what, "-", published=1.0, ours=ours, tolerance=tolerance)
    yield from _together(p)


def _together(p: int) -> Iterator[Comparison]:
    drive = _motor(20.0, OFFSET, UNBALANCE, THIRD)
    found, hertz = _turning(drive)
    exact = motor_ripple.harmonic_balance(drive, SPEED, CURRENT)
    for k, published in ((1, 1.521), (2, 0.745), (3, 0.012), (4, 0.787)):
        ours = float(found.amplitudes[k * p - 1]) / found.mean
        yield within(f"all together, ripple at {k}p", "%", published=published, ours=100.0 * ours, tolerance=1e-3)
        what = f"all together, ripple at {k}p, relative to the harmonic balance"
        yield within(what, "-", published=1.0, ours=ours / exact.at(k), tolerance=1e-3)
        if k != 3:
            what = f"frequency of {k}p"
            yield within(what, "Hz", published=k * p * SPEED / (2.0 * math.pi), ours=hertz[k - 1], tolerance=0.1)
    ours = found.mean / exact.mean
    yield within(
        "all together, mean torque, relative", "-", published=1.0, ours=ours, tolerance=1e-6, plot=_lines(found, exact)
    )


def _lines(found: Harmonics, exact: motor_ripple.Ripple) -> Plot:
    def draw(figure):  # type: ignore[no-untyped-def]
        axes = figure.subplots()
        hertz = found.w * np.arange(1, found.amplitudes.size + 1) / (2.0 * np.pi)
        axes.semilogy(hertz, 100.0 * exact.amplitudes[1 : hertz.size + 1] / exact.mean, "x", label="harmonic balance")
        axes.semilogy(hertz, 100.0 * found.amplitudes / found.mean, "o", fillstyle="none", label="ours")
        axes.set_ylim(1e-6, 10.0)
        axes.set(xlabel="frequency [Hz]", ylabel="amplitude [% of the mean torque]", title="Torque ripple at 955 rpm")
        axes.legend()

    return draw


VOLTAGE, END = 12.0, 0.5  # [V], [s]


def _dc_drive(m: dc_motor.DcMotor) -> JointDrive:
    """The motor with nothing behind it."""
    motor = Motor(
        "dc",
        m.torque_constant,
        m.resistance,
        m.inductance,
        m.inertia,
        cogging=m.cogging,
        cogging_count=m.cogging_count,
        thermal_resistance=m.thermal_resistance,
        thermal_capacity=m.thermal_capacity,
        ambient=m.ambient,
    )
    friction = Friction(m.coulomb, m.stiction, m.stribeck, 2.0, m.viscous, m.bristle_stiffness, m.bristle_damping)
    driver = Driver("voltage", supply=1e9, max_current=1e9)
    return JointDrive(motor, driver, OPEN_GEAR, friction, NO_BRAKE, EXACT, EXACT, SUBSTEPS)


@case("dc-motor", source="CVODE (SUNDIALS, BDF, 1e-10) on the drive's equations; beside it MuJoCo 4's dcmotor")
def dc_motor_case() -> Iterator[Comparison]:
    """A step of 12 V with inductance, cogging, LuGre friction and a warming winding; 1 ms with ten substeps."""
    motor = dc_motor.DcMotor()
    truth = dc_motor.reference(motor, VOLTAGE, np.arange(round(END / 1e-3) + 1) * 1e-3)
    tau = VOLTAGE / motor.resistance * motor.torque_constant
    result = bench_run(DriveBench(BENCH, _dc_drive(motor), tau=tau), END)
    speed, current = result[f"{BENCH}.motor_qd"][:, 0], result[f"{BENCH}.current"][:, 0, 0]
    off = np.abs(speed - truth.speed) / np.abs(truth.speed).max()
    plot = errors_over_time(truth.t, {"speed": off}, 2e-5, "DC motor, 12 V step, against CVODE")
    yield at_most("speed at 1 ms, of the largest", "-", ours=float(off.max()), tolerance=2e-5, plot=plot)
    ours = float(np.abs(current - truth.current).max() / np.abs(truth.current).max())
    yield at_most("current at 1 ms, of the largest", "-", ours=ours, tolerance=1e-3)
    ours = float(np.abs(result[f"{BENCH}.winding_temperature"][:, 0] - truth.temperature).max())
    yield at_most("temperature of the winding at 1 ms", "K", ours=ours, tolerance=1e-4)
    fewest = replace(_dc_drive(motor), substeps=0)
    theirs = bench_run(DriveBench(BENCH, fewest, tau=tau), END)[f"{BENCH}.motor_qd"][:, 0]
    ours = float(np.abs(theirs - truth.speed).max() / np.abs(truth.speed).max())
    yield compare("with the substeps that are chosen by itself: speed, of the largest", "-", published=0.0, ours=ours)
    for step, told in ((1e-3, "1 ms"), (1e-5, "10 us")):
        theirs = dc_motor.speed_error(dc_motor.by_mujoco(motor, VOLTAGE, END, step), truth)
        what = f"MuJoCo's dcmotor at {told}: speed, of the largest"
        yield compare(what, "-", published=0.0, ours=theirs)
