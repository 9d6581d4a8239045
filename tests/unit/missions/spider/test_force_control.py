"""SPIDER touches, presses and slides."""

from __future__ import annotations

import numpy as np
import pytest

import freefloat as ff
from freefloat.errors import FreefloatError
from freefloat.missions.spider.force_control import DOWN, tool_pose
from freefloat.verify.cases.spider_contact import pressed

# kind, friction, most that the tip is off its line [m], impulse of the touch at 0.01 m/s [N s]
PLATES = [("rigid", 0.3, 5e-3, 0.2), ("elastic", 0.0, 2.5e-3, None), ("sprung", 0.0, 2.5e-3, 0.04)]  # 20 and 4 kg


@pytest.mark.parametrize(("kind", "friction", "off", "impulse"), PLATES)
def test_the_force_is_kept_while_it_slides_on_every_plate(
    kind: str, friction: float, off: float, impulse: float | None
) -> None:
    changes = {"surface.kind": kind, "surface.friction": friction}
    result = ff.run("spider-force-control", changes, strict=True)
    assert result.metrics["plan_completed"] == 1.0
    assert result.metrics["force_rms_error_n"] < 0.5
    assert result.metrics["slide_path_error_max_m"] < off
    if impulse is not None:
        assert result.metrics["constraint_violation_m"] < 1e-8
        assert result.metrics["touch_impulse_N_s"] == pytest.approx(impulse, rel=0.05)
        assert result.events[0].name == "met"


def test_elastic_tends_to_rigid_as_the_inverse_of_its_stiffness() -> None:
    _, hard = pressed(None)
    soft, stiff = (float(np.abs(pressed(k)[1] - hard).max()) for k in (1e5, 1e6))
    assert soft / stiff == pytest.approx(10.0, rel=0.05)


def test_the_tool_points_down_at_the_start() -> None:
    X_AT = tool_pose(DOWN)
    assert X_AT.R[:, 2] == pytest.approx([0.0, 0.0, -1.0], abs=1e-12)


def test_a_slide_beyond_reach_is_refused_at_its_field() -> None:
    with pytest.raises(FreefloatError, match=r"wipe.*allowed"):
        ff.run("spider-force-control", {"wipe.by": [0.0, 3.0, 0.0]}, duration=0.1)
