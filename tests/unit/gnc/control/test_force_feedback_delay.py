"""Force feedback, cycle by cycle."""

from __future__ import annotations

import numpy as np

from freefloat.gnc.control.force_feedback_delay import ForceFeedback


def test_the_course_is_the_parabola_of_the_body_under_the_force_that_it_holds() -> None:
    meas = {"force": np.array([-30.0]), "p": np.array([0.2, 1.0, 0.0]), "v": np.array([0.1, 0.0, 0.0])}
    out = ForceFeedback(10.0).update(3.0, meas)
    assert out["wrench"].tolist() == [0.0, 0.0, 0.0, -30.0, 0.0, 0.0]
    assert out["course"].tolist() == [3.0, 0.2, 0.1, -1.5, 0.0, 0.0, 0.0]
    assert out["position"].tolist() == [0.2]
