import numpy as np
import pytest

import freefloat as ff
from freefloat.docking.sight import SIGHT


def test_it_sees_the_head_as_one_who_turns_with_the_cone_does():
    X_WC = ff.Pose.from_rpy((0.3, -0.2, 0.5), (1.0, 2.0, 3.0))
    X_WH = ff.Pose.from_rpy((-0.4, 0.1, 0.2), (1.5, 1.0, 2.0))
    cone = ff.RigidBody("cone", motion=ff.Motion(X_WC, (0.1, 0.2, -0.3), (0.4, 0.0, 0.1)))
    head = ff.RigidBody("head", motion=ff.Motion(X_WH, (0.2, -0.1, 0.1), (-0.2, 0.3, 0.5)))
    session = ff.Mission([cone, head], rows=[SIGHT.row("sight", cone="cone", head="head")]).session()

    def seen(kind: str) -> np.ndarray:
        return np.array([session.read(f"sight.{kind}_{axis}")[0] for axis in "xyz"])

    def place() -> np.ndarray:
        return session.pose("cone").inverse().apply(session.pose("head").p)

    assert seen("p") == pytest.approx(place())
    axis = X_WC.R.T @ X_WH.R[:, 2]
    assert session.read("sight.tilt")[0] == pytest.approx(np.arccos(-axis[2]))
    before, speed = place(), seen("v")
    session.step(1e-3)
    assert (place() - before) / 1e-3 == pytest.approx(0.5 * (speed + seen("v")), abs=1e-6)
