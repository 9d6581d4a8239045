from __future__ import annotations

import sys

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.frames import Pose
from freefloat.gnc.planning import optional
from freefloat.gnc.planning.arm.inverse_kinematics import TOLERANCE, InverseKinematics, UnreachableError


@pytest.mark.parametrize("base", ["a", "b"])
def test_every_reachable_pose_is_reached_within_the_limits(walker, base: str) -> None:
    ik, rng = walker.ik(base), np.random.default_rng(3)
    chain = ik.chain
    for _ in range(200):
        X_AT = chain.pose(rng.uniform(np.maximum(chain.lower, -np.pi), np.minimum(chain.upper, np.pi)))
        q = ik.solve(X_AT, choices=1)
        assert max(chain.residual(q, X_AT)) <= TOLERANCE
        assert np.all(q >= chain.lower)
        assert np.all(q <= chain.upper)


def test_the_same_seed_gives_the_same_solutions_and_all_of_them_reach(walker) -> None:
    X_AT = walker.chain().pose([0.4, 0.9, -0.3, -1.5, 0.8, 0.5, -0.2])
    first, second = (list(walker.ik().solutions(X_AT)) for _ in range(2))
    assert len(first) >= 4
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))
    assert all(max(walker.chain().residual(q, X_AT)) <= TOLERANCE for q in first)


def test_the_posture_is_its_own_solution(walker) -> None:
    ik = walker.ik()
    X_AT = ik.chain.pose(ik.posture)
    assert ik.solve(X_AT) == pytest.approx(ik.posture, abs=1e-9)


def test_the_chosen_solution_is_the_nearest_to_the_start(walker) -> None:
    ik, start = walker.ik(), np.array([0.5, -0.7, 0.2, 1.4, -0.4, -0.6, 0.9])
    q = ik.solve(ik.chain.pose(start + 0.02), start)
    assert np.abs(q - start).max() < 0.05
    assert np.abs(q - ik.posture).max() > 0.5


@pytest.mark.parametrize("p", [(0.0, 0.0, -2.0), (0.0, 0.0, 0.3), (1.6, 0.3, 0.0)])
def test_a_pose_out_of_reach_is_refused_with_the_best_residual(walker, p: tuple[float, float, float]) -> None:
    with pytest.raises(
        UnreachableError, match=rf"does not reach \({p[0]:g}, {p[1]:g}, {p[2]:g}\) m.*best of .* m, .* rad"
    ):
        walker.ik().solve(Pose(np.eye(3), p))


def test_limits_are_kept_where_the_only_other_solutions_break_them(walker) -> None:
    """Straight up and bent one way only: the mirrored elbow is outside its limits."""
    graph, chain = walker.graph, walker.chain()
    upper = np.array([j.upper for j in graph.joints])
    upper[3] = 0.0
    narrow = type(chain)(chain.model, chain.joints, *_ends(chain), chain.lower, upper)
    ik = InverseKinematics(narrow, walker.ik().posture)
    X_AT = narrow.pose([0.1, 0.9, -0.2, -1.1, 0.3, 0.4, 0.2])
    found = list(ik.solutions(X_AT))
    assert found
    assert all(q[3] <= 0.0 for q in found)
    assert any(q[3] > 0.0 for q in walker.ik().solutions(X_AT))


def test_a_missing_extra_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mink", None)
    monkeypatch.setitem(sys.modules, "ruckig", None)
    with pytest.raises(InputError, match=r"needs the package 'mink', which is not installed: pip install .*\[plan\]'"):
        optional.mink()
    with pytest.raises(InputError, match="needs the package 'ruckig'"):
        optional.ruckig()


def _ends(chain):
    from freefloat.gnc.planning.arm.chain import TIP, Frame, segment_name

    return Frame(segment_name(0)), Frame(TIP)
