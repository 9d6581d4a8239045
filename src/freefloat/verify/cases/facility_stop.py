"""Stops of the docking facility: how far, how soon, and that nothing steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from freefloat.facility.axes import COUNT, CYCLE, NAMES, UNITS
from freefloat.facility.exchange import Settings
from freefloat.frames import Array
from freefloat.verify.case import Comparison, at_most, case, within
from freefloat.verify.facility_desk import Desk
from freefloat.verify.facility_rig import HOME

THEORY = "jerk-limited braking: v^2/(2 a) + v a/(2 j) from constant speed; three phases of constant jerk from any other"
LIMITS = Settings().axes
RISE = 2.4  # [s] to a speed


@case("facility-stop", source=THEORY)
def facility_stop() -> Iterator[Comparison]:
    """An application moves one axis; the operator, an emergency stop or its own fault ends it."""
    for axis, speed in ((0, 1.0), (1, 0.8), (8, -0.6), (12, 1.5)):
        for emergency in (False, True):
            desk = moving(axis, speed)
            start = desk.out.axes[axis]
            ended(desk, emergency)
            a, j = _limits(axis, emergency)
            way = np.sign(speed) * (speed**2 / (2.0 * a) + abs(speed) * a / (2.0 * j))
            kind = "emergency stop" if emergency else "safe stop"
            told = f"{kind} of {NAMES[axis]} from {speed:g} {UNITS[axis]}/s"
            ours = float(desk.out.axes[axis] - start)
            yield within(f"{told}: way", UNITS[axis], published=float(way), ours=ours, tolerance=1e-6)
    yield from _speeding_up()
    yield from _noticed()


def _speeding_up() -> Iterator[Comparison]:
    """A stop while the rail speeds up at 0.5 m/s^2 goes on from that acceleration."""
    desk = Desk()
    desk.running()
    v, a = 0.6, 0.5
    desk.follow(lambda t: _on_rail(0.5 * a * t**2), v / a + CYCLE)
    start = desk.out.axes[0]
    ended(desk, False)
    way = braked(v, a, *_limits(0, False))
    ours = float(desk.out.axes[0] - start)
    yield within("safe stop of E1 from 0.6 m/s and 0.5 m/s^2: way", "m", published=way, ours=ours, tolerance=1e-6)
    second = np.abs(np.diff(desk.set_points[:, 0], 2)).max() / CYCLE**2
    most = float(LIMITS.acceleration[0])
    yield at_most("largest acceleration of its set-points", "m/s^2", published=most, ours=second, tolerance=1e-6)


def _noticed() -> Iterator[Comparison]:
    """Cycles from a fault to the first set-point that brakes; steps in velocity would be seen in second differences."""
    nan = np.where(np.arange(24) == 7, np.nan, 0.0)
    faults: dict[str, Callable[[Desk, Array], Array | None]] = {
        "not a number": lambda desk, axes: desk.answer(axes) + nan,
        "a jump of 20 mm": lambda desk, axes: desk.answer(axes + 0.02 * np.eye(COUNT)[0]),
        "silence, after the 5 cycles that are bridged": lambda desk, axes: None,
    }
    for told, fault in faults.items():
        desk = moving(0, 0.5)
        axes, first = desk.out.axes, desk.n
        while desk.op.state == "running":
            axes = axes + 0.5 * CYCLE * np.eye(COUNT)[0]
            desk.cycle(fault(desk, axes))
        late = desk.n - first - (5 if "silence" in told else 0)
        yield at_most(f"{told}: the stop begins in the same cycle", "cycles", published=1.0, ours=late, tolerance=0.0)
        desk.until("idle")
        second = float(np.abs(np.diff(desk.set_points, 2, axis=0)[:, 0]).max()) / CYCLE**2
        most = float(LIMITS.acceleration[0])
        yield at_most(f"{told}: largest acceleration", "m/s^2", published=most, ours=second, tolerance=1e-6)


def moving(axis: int, speed: float) -> Desk:
    """A desk whose application moves one axis at a constant speed, reached over half a cosine."""
    desk, unit = Desk(), np.eye(COUNT)[axis]
    desk.running()

    def way(t: float) -> float:
        u = min(t, RISE)
        return speed * (0.5 * (u - RISE / np.pi * np.sin(np.pi * u / RISE)) + (t - u))

    desk.follow(lambda t: HOME + way(t) * unit, RISE + 0.1)
    return desk


def ended(desk: Desk, emergency: bool) -> None:
    """Stop and wait for rest."""
    if emergency:
        desk.op.do("estop", place="control-room")
    else:
        desk.op.do("stop")
    desk.until("idle", "fault")


def braked(v: float, a0: float, a: float, j: float) -> float:
    """Way to rest from v > 0 and acceleration a0 at jerk j, deceleration a at most: -j to -a, -a, +j to 0.

    Each phase's way is the integral of its cubic; the middle one lasts as long as it must for rest.
    """
    t1 = (a0 + a) / j
    v1 = v + a0 * t1 - 0.5 * j * t1**2
    s1 = v * t1 + 0.5 * a0 * t1**2 - j * t1**3 / 6.0
    t3 = a / j
    v2 = a * t3 - 0.5 * j * t3**2
    t2 = (v1 - v2) / a
    s2 = v1 * t2 - 0.5 * a * t2**2
    return s1 + s2 + v2 * t3 - 0.5 * a * t3**2 + j * t3**3 / 6.0


def _limits(axis: int, emergency: bool) -> tuple[float, float]:
    if emergency:
        return float(LIMITS.emergency[axis]), float(LIMITS.emergency_jerk[axis])
    return float(LIMITS.acceleration[axis]), float(LIMITS.jerk[axis])


def _on_rail(s: float) -> Array:
    return HOME + s * np.eye(COUNT)[0]
