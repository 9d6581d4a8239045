from dataclasses import dataclass

import numpy as np
import pytest

from freefloat.facility.axis_limits import axis_limits
from freefloat.facility.guard import Guard


@dataclass
class Broken:
    kind: str
    value: float
    device: str = "rail"
    axis: str = "E1"
    limit: float = 1.0


class OneAxis:
    """E1 may be at most 1 m; too fast beyond 0.5 m a cycle."""

    lower = np.full(13, -np.inf)
    upper = np.concatenate([[1.0], np.full(12, np.inf)])

    def check(self, axes: np.ndarray, last: np.ndarray, before: np.ndarray) -> Broken | None:
        if axes[0] > 1.0:
            return Broken("range", float(axes[0]))
        if abs(axes[0] - last[0]) > 0.5:
            return Broken("speed", float(axes[0] - last[0]), limit=0.5)
        return Broken("tool range", 2.0) if axes[1] > 1.0 else None


@dataclass
class Near:
    distance: float
    a: str = "rob1 link 4"
    b: str = "floor"

    def __str__(self) -> str:
        return f"{self.distance:g} m between {self.a} and {self.b}"


class Floor:
    margin = 0.05

    def too_near(self, axes: np.ndarray) -> Near | None:
        return Near(float(axes[2])) if axes[2] < self.margin else None

    def at(self, axes: np.ndarray, most: float = 10.0) -> Near:
        return Near(float(axes[2])) if axes[2] < most else Near(most, "", "")


GUARD = Guard(OneAxis(), Floor(), axis_limits())  # type: ignore[arg-type]


def at(x: float, tool: float = 0.0, height: float = 1.0) -> np.ndarray:
    axes = np.zeros(13)
    axes[:3] = x, tool, height
    return axes


def test_what_is_broken_first_is_a_reason() -> None:
    assert GUARD.posture(at(0.5)) is None
    found = GUARD.check(at(0.9), at(0.0), at(0.0))
    assert found is not None
    assert found.reason.cause == "speed"
    found = GUARD.posture(at(0.0, height=0.01))
    assert found is not None
    assert found.reason.cause == "clearance"
    assert found.text == "0.01 m between rob1 link 4 and floor; allowed: at least 0.05 m"


@pytest.mark.parametrize(("now", "then", "free"), [(1.3, 1.2, True), (1.2, 1.3, False), (0.9, 1.1, False)])
def test_the_way_back_into_a_range_is_free_and_the_way_out_is_not(now: float, then: float, free: bool) -> None:
    assert (GUARD.leaving(at(then), at(now), at(now)) is None) is free


@pytest.mark.parametrize(("now", "then", "free"), [(0.01, 0.02, True), (0.02, 0.01, False), (0.06, 0.04, False)])
def test_the_way_apart_is_free_and_the_way_together_is_not(now: float, then: float, free: bool) -> None:
    assert (GUARD.leaving(at(0, height=then), at(0, height=now), at(0, height=now)) is None) is free


def test_what_the_fmc_moves_may_leave_the_ranges_of_tools_but_not_come_near() -> None:
    assert GUARD.posture(at(0.0, tool=2.0)) is not None
    assert GUARD.leaving(at(0.0, tool=2.0), at(0.0), at(0.0)) is None
    assert GUARD.leaving(at(0.0, tool=2.0, height=0.0), at(0.0), at(0.0)) is not None


def moving(axes: np.ndarray, axis: int, speed: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rates = np.zeros(13)
    rates[axis] = speed
    return axes, rates, np.zeros(13)


def test_a_motion_is_refused_once_a_stop_from_it_would_end_beyond_a_range() -> None:
    assert GUARD.stop(moving(at(0.4), 0, 1.0)) is None  # 0.55 m to rest
    found = GUARD.stop(moving(at(0.5), 0, 1.0))
    assert found is not None
    assert found.reason.cause == "range"
    assert "E1 would come to rest at 1.05 m; allowed: -inf to 1 m" in found.reason.text
    assert GUARD.stop(moving(at(1.5), 0, -1.0)) is None  # a way back


def test_a_motion_is_refused_once_a_stop_from_it_would_leave_less_than_half_the_margin() -> None:
    down = -0.5  # [rad/s] of an axis whose angle is the height here
    assert GUARD.stop(moving(at(0.0, height=0.1), 2, down)) is None
    found = GUARD.stop(moving(at(0.0, height=0.06), 2, down))
    assert found is not None
    assert found.reason.cause == "clearance"
    assert "allowed: at least 0.025 m" in found.reason.text
    assert GUARD.stop(moving(at(0.0, height=0.01), 2, 0.5)) is None  # a way out
