import numpy as np
import pytest

from freefloat.engine.graph import Link
from freefloat.frames import Pose
from freefloat.verify.models import random_pose
from freefloat.verify.oracles.newton_euler import LinkMotion, total_momenta
from freefloat.verify.oracles.plastic import kinetic_energy, locked_energy, lost_velocity_energy


def body(name: str, mass: float, p, w, v, X: Pose | None = None) -> LinkMotion:
    link = Link(name, mass, np.zeros(3), mass * np.diag([0.2, 0.3, 0.4]))
    return LinkMotion(link, X or Pose(np.eye(3), p), np.asarray(w, float), np.asarray(v, float))


def random_bodies(rng: np.random.Generator) -> list[LinkMotion]:
    return [
        body(f"b{i}", rng.uniform(1, 9), None, rng.normal(size=3), rng.normal(size=3), random_pose(rng, 1.0))
        for i in range(3)
    ]


def locked(bodies: list[LinkMotion]) -> list[LinkMotion]:
    """The bodies after locking, by brute force: the common twist is fitted to the momenta."""
    columns = []
    for unit in np.eye(6):
        moved = [LinkMotion(b.link, b.X_WL, unit[:3], unit[3:] + np.cross(unit[:3], b.centre)) for b in bodies]
        columns.append(total_momenta(moved))
    twist = np.linalg.solve(np.array(columns).T, total_momenta(bodies)).astype(np.float64)
    return [LinkMotion(b.link, b.X_WL, twist[:3], twist[3:] + np.cross(twist[:3], b.centre)) for b in bodies]


def test_central_impact_loses_the_energy_of_the_reduced_mass():
    pair = [body("a", 2.0, [0, 0, 0], [0, 0, 0], [1.0, 0, 0]), body("b", 3.0, [1, 0, 0], [0, 0, 0], [-0.5, 0, 0])]
    assert kinetic_energy(pair) - locked_energy(pair) == pytest.approx(0.5 * 1.2 * 1.5**2, rel=1e-14)


def test_bodies_that_move_as_one_lose_nothing():
    w, v = np.array([0.3, -0.2, 0.5]), np.array([0.1, 0.2, -0.4])
    places = [np.array([1.0, 0.0, 0.5]), np.array([-0.5, 2.0, 0.0])]
    pair = [body(str(i), 2.0 + i, p, w, v + np.cross(w, p)) for i, p in enumerate(places)]
    assert locked_energy(pair) == pytest.approx(kinetic_energy(pair), rel=1e-14)


@pytest.mark.parametrize("seed", range(5))
def test_locked_energy_is_that_of_the_fitted_rigid_motion(seed: int):
    bodies = random_bodies(np.random.default_rng(seed))
    assert locked_energy(bodies) == pytest.approx(kinetic_energy(locked(bodies)), rel=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_energy_lost_is_the_energy_of_the_velocities_lost(seed: int):
    bodies = random_bodies(np.random.default_rng(seed))
    after = locked(bodies)
    lost = kinetic_energy(bodies) - kinetic_energy(after)
    carnot = lost_velocity_energy({b.link.name: b for b in bodies}, {b.link.name: b for b in after})
    assert carnot == pytest.approx(lost, rel=1e-12)
