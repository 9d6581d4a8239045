"""The walking manipulator's planning: kinematics in closed form against its chain and against mink."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from freefloat.frames import Pose
from freefloat.gnc.planning.arm.chain import Chain
from freefloat.gnc.planning.arm.inverse_kinematics import InverseKinematics
from freefloat.gnc.planning.arm.limb import Limb
from freefloat.missions.modular.walker import POSTURE
from freefloat.verify.case import Comparison, at_most, case
from freefloat.verify.limb_rig import walker

POSES = 10_000
SAME = 1e-5  # [rad] of mink's joints from ours: its tip is at 1e-10, joints near singular ones are less certain
LOCKED = 200  # poses with a joint locked


@case(
    "limb-kinematics",
    source="the chain's own forward kinematics (MuJoCo) from both ends; solutions by mink (Zakka 2024)",
)
def limb_kinematics() -> Iterator[Comparison]:
    """Every branch of the spherical-elbow-spherical limb comes back to its pose; none that mink finds is missed."""
    yield from kinematics(POSES, LOCKED)


def kinematics(count: int, locked: int) -> Iterator[Comparison]:
    """The comparisons for a number of random poses."""
    for base, tip in (("a", "b"), ("b", "a")):
        chain = walker().chain(base, tip)
        limb, name = Limb.of(chain), f"from end {base.upper()}"
        worst, missed = pose_errors(chain, limb, count // 2)
        yield at_most(f"{name}: pose of every posture, largest error", "m, -", ours=worst, tolerance=1e-10)
        about = f"{name}: joint angles that made a pose in no branch, of {count // 2}"
        yield at_most(about, "-", ours=missed, tolerance=0.0)
        found, lost = missed_by_mink(chain, limb, count // 2)
        about = f"{name}: solutions by mink in no branch at their swivel, of {found}"
        yield at_most(about, "-", ours=lost, tolerance=0.0)
        lost = sum(_lost_when_locked(chain, limb, q) for q in _random(chain, locked, 7))
        about = f"{name}: angles with joint 3 or 5 locked that are not found, of {locked} poses"
        yield at_most(about, "-", ours=lost, tolerance=0.0)


def _random(chain: Chain, count: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform(chain.lower, chain.upper, (count, 7))


def pose_errors(chain: Chain, limb: Limb, count: int) -> tuple[float, int]:
    """Largest error of any posture's pose, at the swivel that made it and at another; poses not found again."""
    worst, missed = 0.0, 0
    for q in _random(chain, count, 20):
        X = chain.pose(q)
        at = limb.inverse(X, limb.swivel(q))
        missed += not any(np.abs(p.q - q).max() < SAME for p in at)
        one_each = {p.branch: p for p in at + limb.inverse(X, float(q[0]))}
        worst = max([worst, *(_error(chain.pose(p.q), X) for p in one_each.values())])
    return worst, missed


def missed_by_mink(chain: Chain, limb: Limb, count: int) -> tuple[int, int]:
    """How many poses mink solves, and how many of its solutions are none of ours."""
    ik = InverseKinematics(chain, np.array(POSTURE))
    solved = lost = 0
    for q in _random(chain, count, 21):
        X = chain.pose(q)
        found = next(iter(ik.solutions(X)), None)
        if found is None:
            continue
        solved += 1
        lost += not any(np.abs(p.q - found).max() < SAME for p in limb.inverse(X, limb.swivel(found)))
    return solved, lost


def _lost_when_locked(chain: Chain, limb: Limb, q: np.ndarray) -> bool:
    """Whether the joint angles q are not among those with one of their rolls locked where it is."""
    k = 2 if q[0] > 0.0 else 4
    postures = limb.locked(chain.pose(q), chain.joints[k], float(q[k]))
    return not any(np.abs(p.q - q).max() < SAME for p in postures)


def _error(X: Pose, Y: Pose) -> float:
    return max(float(np.abs(X.p - Y.p).max()), float(np.abs(X.R - Y.R).max()))
