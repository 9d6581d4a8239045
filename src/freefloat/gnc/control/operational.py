"""Operational-space control of a redundant arm: position of the tip in some directions, contact force in the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.compiled import Ticking, inner, onboard
from freefloat.errors import InputError
from freefloat.frames import Array, Pose
from freefloat.gnc import rotations as r
from freefloat.gnc.control.inverse_dynamics import Places, floating_dynamics
from freefloat.gnc.control.operational_model import ArmModel, stand, tip_jacobian, tip_pose
from freefloat.gnc.planning.arm.joint_path import quintic_at
from freefloat.gnc.planning.arm.paced_line import KNOTS, Line, TipLine

OPERATIONAL, TORQUES, CURRENTS = range(3)  # values of the signal `level`
JOINT, TIP = range(2)  # what a line moves
FRESH, KIND = range(2)  # places in `flags`; FRESH: the next measurement says where the references stand
Q, QD, FORWARD = range(3)  # rows of `memory`: reference, its rate, and that without feedback
# rows of `numbers`
PERIOD, TIP_GAIN, FORCE_GAIN, TORQUE_GAIN, TIP_SPEED, TIP_RATE, POSTURE_GAIN, FILTER, WINDOW = range(9)
LEAD, YIELD, LOAD = range(9, 12)
DAMPING = 1e-6  # [-] added to J J^T, in m^2 and rad^2
POSTURE_SPEED = 0.02  # [rad/s] at most, of each joint towards its posture


@dataclass(frozen=True)
class HybridGains:
    """How fast errors fade and what is never exceeded."""

    tip: float = 5.0  # [1/s] of the reference's own error; assumed, docs/reference/parameters.md, "SPIDER"
    force: float = 6e-3  # [m/s/N] speed per error of force; assumed: twice of it swings against a hard wall
    torque: float = 4e-3  # [rad/s/(N m)] assumed
    tip_speed: float = 0.1  # [m/s] SPIDER's, "limited by software" (Ferretti and others 2004)
    tip_rate: float = 0.1  # [rad/s] assumed
    posture: float = 0.1  # [1/s] of joints that the tip leaves free; assumed
    force_filter: float = 200.0  # [rad/s] of the measured wrench; assumed
    force_lead: float = 8e-3  # [s] by which the measured wrench is led: damps the arm on an elastic wall; assumed
    force_yield: float = 10.0  # [1/s] at which the reference goes to where the tip is, along forces; assumed
    load_filter: float = 100.0  # [rad/s] of the wrench that the servo is told that it carries; assumed
    window: float = 0.05  # [rad] references stay this near to the joints; assumed

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not 0.0 < value < np.inf:
                raise InputError(f"hybrid gains: {name} {value!r}; allowed: above 0, finite")


class HybridState(NamedTuple):
    """What `HybridControl` knows, is told and remembers."""

    flags: NDArray[np.int64]
    places: Places
    hand: Places
    frames: Array  # (8, 3)
    times: Array  # [s] (4,) of the line's pace
    pace: Array  # (4, 3, 1)
    joints: Array  # (2, n) q0 and q1 - q0 of a line of joints
    tip: Array  # (3, 3) p0, p1 - p0, turn of a line of the tip
    attitude: Array  # (4,) q_AT at its start
    task: Array  # (4,) q_AC, C the axes in which directions are chosen
    chosen: Array  # (6,) 1: force, of [torque; force] in C
    target: Array  # (6,) [N m, N] that the tip gives to what it touches, in C
    numbers: Array  # (12,)
    limits: Array  # (4, n) lower and upper position, speed, posture
    memory: Array  # (3, n)
    wrench: Array  # (2, 6) filtered, [torque; force] about T, in A, and its rate
    carried: Array  # (6,) what the servo is told that the tip gives, in A: directions of force only


class HybridOut(NamedTuple):
    """What `HybridControl` gives."""

    q_ref: Array
    qd_ref: Array
    tau_ref: Array
    mode: Array  # (1,) of the joint servo: 0 position, 1 torque
    p_wanted: Array  # (3,) [m] p_AT of the line
    q_wanted: Array  # (4,) q_AT of the line
    p_reached: Array  # (3,) [m] p_AT by the load's resolvers
    q_reached: Array  # (4,)
    wrench: Array  # (6,) [torque; force] that the tip gives, in C


class HybridControl(Ticking):
    """References of the joint servo from a line of the tip or of the joints, and forces in chosen directions.

    Reads q (load resolvers), load and q_WS (wrist sensor S: [force; torque] in W on what it carries, and its attitude),
    level and torque (commands below the tip); the base counts as at rest. With X_AT the tip in the mount's axes A, C
    the axes of the task, S_f the chosen directions, f the wrench that the tip gives:

        V_C = (1 - S_f) (V_line + k_x e) + S_f k_f (f_target - f - T f'),   |v| <= 0.1 m/s, |w| <= 0.1 rad/s
        q_ref' = J^+ V + (1 - J^+ J) clip(k_n (q_posture - q_ref)),  all joints slowed down where one would be too fast
        tau_ref = M* q_d'' + c* + J^T S_f f

    e is what the *reference* is off its line, so the tip's position is closed by the servo behind, on load and motor
    positions, and the force by the wrist: an integral of the force's error (hybrid control, Raibert and Craig 1981;
    operational space: Khatib 1987). For that the servo must be a source of speed along forces: it is told the load that
    it carries (J^T S_f f), without which the gears' springs hold it back, and q_ref goes to where the tip is, without
    which its own integral works against a wall for good. J^+ is damped, M* and c* are those of the floating arm.
    Against wind-up, q_ref stays within joint limits and within `window` of the joints. `torque` at level 1 goes to
    the servo's torque mode; at levels 1 and 2 references follow the joints, so that the way back has no jump.
    """

    def __init__(
        self,
        arm: ArmModel,
        speed: ArrayLike,  # [rad/s] largest of each joint
        posture: ArrayLike,  # [rad] wanted where the tip leaves a choice
        gains: HybridGains | None = None,
        period: float = 1e-3,  # [s]
    ) -> None:
        self.arm, self.gains, n = arm, gains or HybridGains(), len(arm.joints)
        g = self.gains
        kept = float(1.0 - np.exp(-g.force_filter * period))
        yielding, loaded = (float(1.0 - np.exp(-rate * period)) for rate in (g.force_yield, g.load_filter))
        numbers = [period, g.tip, g.force, g.torque, g.tip_speed, g.tip_rate, g.posture, kept, g.window]
        numbers = np.array([*numbers, g.force_lead, yielding, loaded])
        rows = (arm.chain.lower, arm.chain.upper, speed, posture)
        limits = np.stack([np.broadcast_to(np.asarray(v, np.float64), (n,)) for v in rows])
        unit = np.array([1.0, 0.0, 0.0, 0.0])
        self._state = HybridState(
            np.array([1, JOINT], np.int64),
            arm.floating.places,
            arm.hand,
            arm.frames,
            np.zeros(KNOTS),
            np.zeros((KNOTS, 3, 1)),
            np.zeros((2, n)),
            np.zeros((3, 3)),
            unit.copy(),
            unit.copy(),
            np.zeros(6),
            np.zeros(6),
            numbers,
            limits,
            np.zeros((3, n)),
            np.zeros((2, 6)),
            np.zeros(6),
        )
        zeros = [np.zeros(k) for k in (n, n, n, 1, 3, 4, 3, 4, 6)]
        self.out = HybridOut(*zeros)

    @property
    def state(self) -> HybridState:
        """With the present addresses of the model."""
        self._state.places[:] = self.arm.floating.places
        self._state.hand[:] = self.arm.hand
        return self._state

    @property
    def started(self) -> bool:
        """Whether a measurement has told where the joints are."""
        return self._state.flags[FRESH] == 0

    @property
    def q_ref(self) -> Array:
        """[rad] where the reference of the joints stands."""
        return self._state.memory[Q].copy()

    @property
    def X_AT(self) -> Pose:
        """Where the reference of the tip stands."""
        return self.arm.chain.pose(self.q_ref)

    def follow(self, line: Line, start: float) -> None:
        """Go along a line from `start` [s] on."""
        s = self._state
        s.times[:], s.pace[:] = start + line.pace.times, line.pace.knots
        if isinstance(line, TipLine):
            s.tip[:] = line.start.p, line.end.p - line.start.p, line.turn
            s.attitude[:] = line.start.q
            s.flags[KIND] = TIP
        else:
            s.joints[:] = line.q0, line.q1 - line.q0
            s.flags[KIND] = JOINT

    def press(self, axis_A: ArrayLike, force: float) -> None:
        """Give `force` [N] along an axis (in A) from now on, position in all other directions; 0 N along none: none."""
        s, z = self._state, np.asarray(axis_A, np.float64)
        z = z / np.linalg.norm(z)
        x = np.cross([0.0, 1.0, 0.0] if abs(z[1]) < 0.9 else [1.0, 0.0, 0.0], z)
        x /= np.linalg.norm(x)
        s.task[:] = Pose(np.column_stack([x, np.cross(z, x), z])).q
        s.chosen[:] = 0.0, 0.0, 0.0, 0.0, 0.0, 1.0
        s.target[:] = 0.0, 0.0, 0.0, 0.0, 0.0, force

    def relax(self) -> None:
        """Position in all directions from now on."""
        self._state.chosen[:], self._state.target[:] = 0.0, 0.0

    @staticmethod
    @inner
    def tick(t: float, meas: Any, state: HybridState, out: HybridOut) -> None:
        """References for the next period."""
        hybrid_tick(t, meas.q, (meas.load, meas.q_WS), (meas.level, meas.torque), state, out)


@onboard
def hybrid_tick(
    t: float, q: Array, wrist: tuple[Array, Array], told: tuple[Array, Array], s: HybridState, out: HybridOut
) -> None:
    """One update of `HybridControl`."""
    n, level = q.size, int(told[0][0])
    p, R, J, inertia, bias = np.empty(3), np.empty((3, 3)), np.empty((6, n)), np.empty((n, n)), np.empty(n)
    still, upright = np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
    stand(s.places, q)
    tip_pose(s.hand, s.frames, p, R)
    _told(p, R, out.p_reached, out.q_reached)
    _feel(wrist, R, s, out)
    if s.flags[FRESH] != 0 or level != OPERATIONAL:
        _catch(q, s)
    pace, acceleration, load = np.empty((3, 1)), np.zeros(n), np.zeros(n)
    quintic_at(s.times, s.pace, t, pace)
    if s.flags[KIND] == JOINT:
        s.memory[Q] = s.joints[0] + pace[0, 0] * s.joints[1]
        s.memory[QD] = pace[1, 0] * s.joints[1]
        s.memory[FORWARD] = s.memory[QD]
        acceleration[:] = pace[2, 0] * s.joints[1]
    out.q_ref[:] = s.memory[Q]
    floating_dynamics(s.places, s.memory[Q], s.memory[QD], upright, still, still, inertia, bias)
    tip_pose(s.hand, s.frames, p, R)
    if s.flags[KIND] == JOINT:
        _told(p, R, out.p_wanted, out.q_wanted)
    else:
        tip_jacobian(s.places, s.hand, s.frames, J)
        last = s.memory[FORWARD].copy()
        inverse = J.T @ np.linalg.inv(J @ J.T + DAMPING * np.eye(6))
        _lead_tip(pace, p, R, J, inverse, s, out)
        acceleration[:] = (s.memory[FORWARD] - last) / s.numbers[PERIOD]
        s.memory[Q] += inverse @ _way_to_the_tip(p, R, s, out)
        _advance(q, s)
        load[:] = J.T @ s.carried
    out.qd_ref[:] = s.memory[QD]
    out.tau_ref[:] = inertia @ acceleration + bias + load
    out.mode[0] = 0.0 if level == OPERATIONAL else 1.0
    if level != OPERATIONAL:
        out.qd_ref[:] = 0.0
        out.tau_ref[:] = told[1] if level == TORQUES else np.zeros(n)


@inner
def _catch(q: Array, s: HybridState) -> None:
    """The references rest where the joints are."""
    s.flags[FRESH], s.flags[KIND] = 0, JOINT
    s.memory[:] = 0.0
    s.memory[Q] = q
    s.joints[0], s.joints[1] = q, 0.0
    s.pace[:] = 0.0


@inner
def _told(p: Array, R: Array, place: Array, attitude: Array) -> None:
    """A pose as place and quaternion."""
    q = r.quat_of_axes(r.column(R, 0), r.column(R, 1), r.column(R, 2))
    place[:] = p
    for i in range(4):
        attitude[i] = q[i]


@inner
def _feel(wrist: tuple[Array, Array], R: Array, s: HybridState, out: HybridOut) -> None:
    """The wrench that the tip gives: what the wrist carries, turned from W to the sensor's axes (T's), and to A."""
    load, W = wrist[0], r.matrix_of(wrist[1])
    torque, force = r.times(r.transposed(W), (load[3], load[4], load[5])), r.times(r.transposed(W), load)
    A, C = r.matrix(R), r.transposed(r.matrix_of(s.task))
    torque, force = r.times(A, torque), r.times(A, force)
    for i in range(6):
        change = s.numbers[FILTER] * ((torque[i] if i < 3 else force[i - 3]) - s.wrench[0, i])
        s.wrench[0, i] += change
        s.wrench[1, i] = change / s.numbers[PERIOD]
    given = np.zeros(6)
    for k in range(2):
        felt = r.times(C, s.wrench[0, 3 * k : 3 * k + 3])
        chosen = np.zeros(3)
        for i in range(3):
            out.wrench[3 * k + i] = felt[i]
            chosen[i] = s.chosen[3 * k + i] * felt[i]
        given[3 * k : 3 * k + 3] = np.array(r.times(r.matrix_of(s.task), chosen))
    s.carried[:] += s.numbers[LOAD] * (given - s.carried)


@inner
def _lead_tip(pace: Array, p: Array, R: Array, J: Array, inverse: Array, s: HybridState, out: HybridOut) -> None:
    """Joint rates for the tip, with feedback (QD) and without (FORWARD)."""
    start, turn = r.quat_unit(s.attitude), r.scaled(s.tip[2], pace[0, 0])
    wanted = r.quat_product(start, r.quat_of(turn))
    w = r.times(r.matrix_of(start), r.scaled(s.tip[2], pace[1, 0]))
    now = r.quat_of_axes(r.column(R, 0), r.column(R, 1), r.column(R, 2))
    off = r.rotation_vector(r.quat_product(wanted, r.quat_inverse(now)))
    line, asked = np.empty(6), np.empty(6)
    for i in range(3):
        out.p_wanted[i] = s.tip[0, i] + pace[0, 0] * s.tip[1, i]
        line[i], line[3 + i] = w[i], pace[1, 0] * s.tip[1, i]
        asked[i] = line[i] + s.numbers[TIP_GAIN] * off[i]
        asked[3 + i] = line[3 + i] + s.numbers[TIP_GAIN] * (out.p_wanted[i] - p[i])
    unit = r.quat_unit(wanted)
    for i in range(4):
        out.q_wanted[i] = unit[i]
    _choose(asked, line, s, out)
    free = np.clip(s.numbers[POSTURE_GAIN] * (s.limits[3] - s.memory[Q]), -POSTURE_SPEED, POSTURE_SPEED)
    free -= inverse @ (J @ free)
    s.memory[FORWARD] = inverse @ line + free
    s.memory[QD] = inverse @ asked + free


@inner
def _choose(asked: Array, line: Array, s: HybridState, out: HybridOut) -> None:
    """Force in the chosen directions of C, within the tip's speeds; `line` loses these directions."""
    R = r.matrix_of(s.task)
    C = r.transposed(R)
    for k in range(2):
        first = 3 * k
        gain, limit = s.numbers[TORQUE_GAIN - k], s.numbers[TIP_RATE - k]
        v, along = r.times(C, asked[first : first + 3]), r.times(C, line[first : first + 3])
        rate = np.array(r.times(C, s.wrench[1, first : first + 3]))
        v_C, along_C = np.array(v), np.array(along)
        for i in range(3):
            if s.chosen[first + i] != 0.0:
                led = out.wrench[first + i] + s.numbers[LEAD] * rate[i]
                v_C[i] = gain * (s.target[first + i] - led)
                along_C[i] = 0.0
        size = np.sqrt(v_C[0] ** 2 + v_C[1] ** 2 + v_C[2] ** 2)
        if size > limit:
            v_C *= limit / size
        v, along = r.times(R, v_C), r.times(R, along_C)
        for i in range(3):
            asked[first + i], line[first + i] = v[i], along[i]


@inner
def _way_to_the_tip(p: Array, R: Array, s: HybridState, out: HybridOut) -> Array:
    """What the reference goes, in a period, to where the tip is: turn and way in A, along forces only."""
    axes = r.matrix_of(s.task)
    C = r.transposed(axes)
    now = r.quat_of_axes(r.column(R, 0), r.column(R, 1), r.column(R, 2))
    turn = r.rotation_vector(r.quat_product(r.quat_unit(out.q_reached), r.quat_inverse(now)))
    off = np.empty(6)
    for i in range(3):
        off[i], off[3 + i] = turn[i], out.p_reached[i] - p[i]
    for k in range(2):
        along = np.array(r.times(C, off[3 * k : 3 * k + 3])) * s.chosen[3 * k : 3 * k + 3]
        off[3 * k : 3 * k + 3] = np.array(r.times(axes, along))
    return s.numbers[YIELD] * off


@inner
def _advance(q: Array, s: HybridState) -> None:
    """The reference of the joints a period on: not too fast, within limits, near the joints."""
    worst = 1.0
    for i in range(q.size):
        worst = max(worst, abs(s.memory[QD, i]) / s.limits[2, i])
    for i in range(q.size):
        s.memory[QD, i] /= worst
        to = s.memory[Q, i] + s.numbers[PERIOD] * s.memory[QD, i]
        low, high = max(s.limits[0, i], q[i] - s.numbers[WINDOW]), min(s.limits[1, i], q[i] + s.numbers[WINDOW])
        s.memory[Q, i] = min(max(to, low), high)
