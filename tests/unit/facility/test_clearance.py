"""Clearance of the facility against MuJoCo's distances of the same solids, placed by the robots' own posture."""

from __future__ import annotations

from collections.abc import Mapping

import mujoco
import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.facility.clearance import FAR, Clearance
from freefloat.facility.equipment import Equipment
from freefloat.facility.geometry import LabGeometry
from freefloat.facility.kinematics import Kinematics
from freefloat.facility.record import Frame, Record
from freefloat.facility.solids import CARRIAGE, LINKS, ROOM, Mounted
from freefloat.frames import Array, Pose
from freefloat.geometry.shape import Shape
from freefloat.robots.industrial_models import industrial_model
from freefloat.robots.posture import Posture
from freefloat.six_axis_arms import AXES

FACING = np.array([6.55, *np.radians([0, -59.073, 129.8348, 0, -70.7617, 0, 0, -96.6903, 120.3313, 0, -23.6409, 0])])
PROBE = Equipment("probe", shapes=(Shape("cylinder", (0.05, 0.3), Pose(np.eye(3), (0.0, 0.0, 0.35))),))
TARGET = Equipment("target", shapes=(Shape("box", (0.4, 0.4, 0.3), Pose(np.eye(3), (0.0, 0.0, 0.35))),))
MOUNTED = Mounted((), (), PROBE, TARGET)


def _bodies(axes: Array) -> Mapping[int, Pose]:
    """X_WL of all bodies, by the robots' link graphs."""
    geometry = LabGeometry()
    found = {ROOM: Pose.identity(), CARRIAGE: Pose(np.eye(3), (axes[0], 0.0, 0.0))}
    for i, name in enumerate(geometry.arms):
        graph = industrial_model(name).graph()
        at = Posture.of(graph, dict(zip(AXES, axes[1 + 6 * i : 7 + 6 * i].tolist(), strict=True)))
        base = geometry.base(i + 1, float(axes[0]))
        for k, link in enumerate(graph.links):
            found[LINKS * i + k] = base @ at.links[link.name]
    return found


class _ByMujoco:
    """The least distance of the pairs, each by `mj_geomDistance`, walls by corners."""

    def __init__(self, clearance: Clearance) -> None:
        self.clearance = clearance
        spec = mujoco.MjSpec()
        for solid in clearance.solids:
            if solid.rounding:
                size = [solid.rounding, solid.half[2], 0.0]
                spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_CAPSULE, size=size)
            else:
                spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=solid.half)
        spec.option.ccd_tolerance = 1e-9
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)

    def at(self, axes: Array) -> float:
        bodies = _bodies(axes)
        poses = [bodies[solid.body] @ solid.X_LG for solid in self.clearance.solids]
        for g, X in enumerate(poses):
            self.data.geom_xpos[g], self.data.geom_xmat[g] = X.p, X.R.ravel()
        least = FAR
        for a, b in self.clearance.table.pairs:
            least = min(least, mujoco.mj_geomDistance(self.model, self.data, int(a), int(b), FAR, None))
        for g, w in self.clearance.table.walled:
            solid, wall = self.clearance.solids[g], self.clearance.walls[w]
            signs = np.array(np.meshgrid(*[[-1, 1]] * 3)).reshape(3, -1).T
            corners = poses[g].p + (signs * np.array(solid.half)) @ poses[g].R.T
            least = min(least, float((corners @ np.array(wall.normal)).min()) - wall.offset - solid.rounding)
        return least


def _facing(gap: float) -> Array:
    """Axes with the tools of Fig. 24 face to face on the rail's line, `gap` [m] apart."""
    values = np.zeros(22)
    values[[0, 7, 21]] = 1.9 + gap, 1.9, 1.5
    return Kinematics().to_axes(Record(Frame.GLC, values), FACING)


def _random_axes(n: int, seed: int) -> Array:
    geometry = LabGeometry()
    turn = 2.0 * np.pi
    low, high = np.maximum(geometry.lower, -turn), np.minimum(geometry.upper, turn)
    rows = np.random.default_rng(seed).uniform(low, high, (n, 13))
    rows[::2, 0] *= 0.15  # half of them with the robots near each other
    rows[:, 5] *= 0.5
    rows[:, 11] *= 0.5
    return rows


def test_random_postures_have_the_distance_that_mujoco_finds() -> None:
    clearance = Clearance(mounted=MOUNTED)
    other, rows = _ByMujoco(clearance), _random_axes(150, 5)
    own, where = clearance.along(rows)
    apart = 0
    for q, d, k in zip(rows, own, where, strict=True):
        expected = other.at(q)
        if d > 0.0:
            assert d == pytest.approx(expected, abs=1e-6)
            apart += 1
        else:  # depths of deep overlaps differ by their definition
            assert expected <= 1e-6
        found = clearance.at(q)
        assert found.distance == d
        assert (found.a, found.b) == clearance.between(int(k))
    assert apart >= 30
    assert len({clearance.between(int(k)) for k in where}) >= 12


def test_facing_robots_are_free_and_the_nearest_pair_has_a_name() -> None:
    clearance = Clearance()
    found = clearance.at(FACING)
    assert clearance.too_near(FACING) is None
    assert (found.a, found.b) == ("rob1 link_4", "rob1 plate")
    assert 0.1 < found.distance < 0.2
    assert "between rob1 link_4 and rob1 plate" in str(found)


def test_docking_pair_may_meet_and_other_pairs_may_not() -> None:
    near = _facing(0.79)  # the tip of robot 1's mock-up is 0.02 m in front of robot 2's
    docked = Clearance(mounted=MOUNTED)
    watched = Clearance(mounted=MOUNTED, docking=())
    assert docked.too_near(near) is None
    found = watched.too_near(near)
    assert found is not None
    assert {found.a, found.b} == {"rob1 mock-up", "rob2 mock-up"}
    assert found.distance < 0.02 + 1e-12
    found = docked.too_near(_facing(0.24))  # the probe, through the other mock-up, is 0.04 m before its plate
    assert found is not None
    assert (found.a, found.b) == ("rob1 mock-up", "rob2 plate")
    assert found.distance == pytest.approx(0.04, abs=1e-9)


@pytest.mark.parametrize(
    ("axis", "value", "pair"),
    [
        (5, 2.1, ("rob1 link_4", "rob1 plate")),
        (8, -0.1, ("rob2 plate", "floor")),
        (1, np.pi / 2, ()),
    ],
)
def test_what_is_too_near_is_named(axis: int, value: float, pair: tuple[str, ...]) -> None:
    axes = FACING.copy()
    axes[axis] = value
    found = Clearance(mounted=Mounted.bare()).too_near(axes)
    assert (() if found is None else (found.a, found.b)) == pair


def test_distances_beyond_what_is_asked_are_told_as_that() -> None:
    assert Clearance().at(FACING, 0.05).distance == 0.05
    assert Clearance().at(FACING, 0.05).a == ""


def test_rows_that_are_not_finite_have_no_distance() -> None:
    rows = np.array([FACING, FACING])
    rows[1, 4] = np.nan
    d, where = Clearance().along(rows)
    assert np.isfinite(d[0])
    assert np.isnan(d[1])
    assert where[1] == -1


def test_bad_choices_are_told_with_what_is_allowed() -> None:
    with pytest.raises(InputError, match=r"unknown solid 'rob1 plat'.*Did you mean 'rob1 plate'"):
        Clearance(docking=(("rob1 plat", "rob2 plate"),))
    with pytest.raises(InputError, match=r"margin -1.0 m; allowed: from 0"):
        Clearance(margin=-1.0)
    with pytest.raises(InputError, match="allowed: 13 finite numbers"):
        Clearance().at(np.zeros(12))
