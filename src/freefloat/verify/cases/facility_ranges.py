"""The docking facility's ranges: every end of Table 3, and turns without end."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from freefloat.facility import frames_step as step
from freefloat.facility.geometry import LabGeometry
from freefloat.facility.kinematics import LAB_VIEW, Kinematics
from freefloat.facility.ranges import COMPONENTS, TABLE3, MotionRange
from freefloat.facility.record import LIN
from freefloat.facility.user_tool import FIG24
from freefloat.frames import Array
from freefloat.verify.case import Comparison, at_least, at_most, case, within
from freefloat.verify.facility_rig import HOME, SOURCE, apart, glc, turns_about

TRIES = 3000  # at each end of a range
TURNS, CONE = 200, math.radians(10.0)
PER_TURN = 250  # rows of a turn


@case("facility-ranges", source=SOURCE)
def facility_ranges() -> Iterator[Comparison]:
    """Every end of Table 3 is reached with the other components anywhere in it; not all its corners."""
    for device, span in TABLE3.items():
        for component in COMPONENTS:
            for end in getattr(span, component):
                if math.isfinite(end):
                    yield from _end(device, span, component, end)
    for sign in (-1.0, 1.0):
        turned, jump = rolled(sign * math.radians(300.0))
        about = f"rob1: roll from 0 to {sign * 300:g} deg, attitude at the end, error"
        yield at_most(about, "rad", ours=turned, tolerance=1e-9)
        yield at_most("largest step of an axis on the way, in degrees of roll", "-", ours=jump, tolerance=2.0)
    for device, share in (("rob1", 0.79), ("rob2", 0.48)):
        about = f"{device}: share of the box that is reached unturned (data lin 1.5 m; prototype's figure)"
        yield within(about, "-", published=share, ours=_share(device), tolerance=0.03)


def _end(device: str, span: MotionRange, component: str, end: float) -> Iterator[Comparison]:
    reached, error = at_end(device, span, component, end, TRIES)
    unit, shown = ("m", end) if component in "xyz" else ("deg", math.degrees(end))
    about = f"{device}: {component} at {shown:g} {unit}, others anywhere: commands reached of {TRIES}"
    yield at_least(about, "-", published=1.0, ours=reached, tolerance=0.0)
    yield at_most("that component, executed, error", "m, rad", ours=error, tolerance=1e-9)


def at_end(device: str, span: MotionRange, component: str, end: float, tries: int) -> tuple[int, float]:
    """How many random commands with one component at an end are reached, and the largest error of that component."""
    rng, kinematics = np.random.default_rng(3), Kinematics()
    robot, place = int(device == "rob2"), COMPONENTS.index(component)
    low = np.array([max(getattr(span, c)[0], -math.pi) for c in COMPONENTS])
    high = np.array([min(getattr(span, c)[1], math.pi) for c in COMPONENTS])
    reached, worst, out, back = 0, 0.0, np.empty(13), np.empty(22)
    for pose in rng.uniform(low, high, (tries, 6)):
        pose[place] = end
        values = np.array(glc().values)
        values[7 * robot : 7 * robot + 6] = *pose[:3], *np.degrees(pose[:2:-1])
        if robot == 0:
            values[LIN] = rng.uniform(-2.8, 2.8)
        if step.to_axes(kinematics.nominal, step.GLC, values, HOME, out) != step.OK:
            continue
        reached += 1
        step.from_axes(kinematics.nominal, step.GLC, out, LAB_VIEW, back)
        i = 7 * robot + (place if place < 3 else 8 - place)
        off = abs(back[i] - values[i])
        worst = max(worst, off if place < 3 else abs(math.remainder(math.radians(off), 2.0 * math.pi)))
    return reached, worst if reached else math.nan


def rolled(angle: float) -> tuple[float, float]:
    """Robot 1 rolls in steps of 1 deg: error of the attitude [rad], largest step of an axis by that of the roll."""
    kinematics, rows = Kinematics(), [HOME]
    rolls = np.linspace(0.0, angle, 1 + round(abs(math.degrees(angle))))
    for roll in rolls:
        record = glc((5.0, 0.0, 0.0, 0.0, 0.0, math.degrees(roll)))
        rows.append(kinematics.to_axes(record, rows[-1]))
    reached = kinematics.tool_poses(rows[-1])[0].R
    off = apart(reached[None], turns_about(np.array([angle]), 0))[0]
    return float(off), float(np.abs(np.diff(rows, axis=0)[1:]).max() / math.radians(1.0))


def _share(device: str) -> float:
    """Of places in a box of Table 3 that are reached unturned."""
    rng, kinematics, span, out = np.random.default_rng(4), Kinematics(), TABLE3[device], np.empty(13)
    low, high = zip(span.x, span.y, span.z, strict=True)
    reached = 0
    for place in rng.uniform(low, high, (TRIES, 3)):
        values = np.array(glc().values)
        first = 7 * int(device == "rob2")
        values[first : first + 3] = place
        reached += step.to_axes(kinematics.nominal, step.GLC, values, HOME, out) == step.OK
    return reached / TRIES


@case("facility-endless", source=SOURCE)
def facility_endless() -> Iterator[Comparison]:
    """A target that rolls on and on with a cone: A6 of robot 2 counts where the cone is beside the forearm, else A4."""
    for axis, height in (("A6", 0.0), ("A4", 0.445)):
        counts, angle, jump = tumbling(height, TURNS)
        about = f"{TURNS} turns, 10 deg cone, U2 at z = {height:g} m"
        counted, other = (counts[1], counts[0]) if axis == "A6" else counts
        yield within(f"{about}: turns of {axis}", "-", published=-TURNS, ours=counted, tolerance=1e-9)
        yield within("turns of the other", "-", published=0.0, ours=other, tolerance=1e-9)
        yield at_most("attitude, largest error", "rad", ours=angle, tolerance=1e-9)
        yield at_most("largest step of an axis over its fastest rate", "-", ours=jump, tolerance=0.01, published=1.0)


def tumbling(height: float, turns: int) -> tuple[tuple[float, float], float, float]:
    """Turns of A4 and A6 of robot 2, largest error of attitude [rad], largest step over what the rates allow.

    The tool's x draws a cone about the lab's: R_GU = Rx(phi) Ry(cone), in a CLW record. The fastest rate of an axis by
    phi comes from the Jacobian over one turn.
    """
    kinematics, robot = Kinematics(), LabGeometry().robot(2, 0.0, FIG24.rob2)
    phi = 2.0 * math.pi * np.arange(turns * PER_TURN + 1) / PER_TURN
    rows, R_GU, p_GU = np.empty((len(phi), 13)), np.empty((len(phi), 3, 3)), np.empty(3)
    now = HOME
    for values, row, R in zip(_coning(phi, height), rows, R_GU, strict=True):
        if step.to_axes(kinematics.nominal, step.CLW, values, now, row) != step.OK:
            return (math.nan, math.nan), math.nan, math.nan
        step.tool_pose(kinematics.nominal, 1, row, R, p_GU)
        now = row
    angle = apart(R_GU, turns_about(phi, 0) @ turns_about(np.array([CONE]), 1)).max()
    rate = np.max([np.abs(np.linalg.solve(robot.jacobian(q), [1, 0, 0, 0, 0, 0])) for q in rows[:PER_TURN, 7:]], axis=0)
    jump = np.abs(np.diff(rows[:, 7:], axis=0)).max(axis=0) / (rate * phi[1])
    turned = (rows[-1] - rows[0]) / (2.0 * math.pi)
    return (float(turned[10]), float(turned[12])), float(angle), float(jump.max())


def _coning(phi: Array, height: float) -> Array:
    """CLW records (n, 22): robot 1 at rest, the attitude of U2 Rx(phi) Ry(cone)."""
    values = np.zeros((len(phi), 22))
    values[:, 0], values[:, 6], values[:, LIN], values[:, 20] = 5.0, 1.0, 1.5, 1.0
    values[:, 7:10] = 1.9, 1.5, height
    c, s = math.cos(0.5 * CONE), math.sin(0.5 * CONE)
    sine, cosine = np.sin(0.5 * phi), np.cos(0.5 * phi)
    values[:, 10:14] = np.stack([c * sine, s * cosine, s * sine, c * cosine], axis=1)
    return values
