"""Plate, equipment and mock-up as bodies on the flange."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.facility.equipment import PLATES, Equipment
from freefloat.facility.geometry import LabGeometry
from freefloat.facility.mockups import client_mockup
from freefloat.facility.plate import adapter_link, mockup_on

X_FT = LabGeometry().X_FT


def test_a_bare_plate_has_the_mass_and_moments_of_table_5_with_x_and_y_turned() -> None:
    link = adapter_link(PLATES[0], (), X_FT)
    assert link.mass == 47.0
    assert link.p_LLcm == pytest.approx([0.0, 0.0, 0.015])
    assert link.I_LLcm_L == pytest.approx(np.diag([1.0, 19.7, 20.3]))


def test_equipment_adds_to_the_plate_where_it_is() -> None:
    things = [Equipment("a", 3.0, (0.2, 0.0, 0.1)), Equipment("b", 2.0, (0.0, -0.3, 0.2))]
    link = adapter_link(PLATES[0], things, X_FT)
    assert link.mass == 52.0
    moment = 47.0 * np.array([0.0, 0.0, 0.015]) + 3.0 * np.array([0.2, 0.0, 0.1]) + 2.0 * np.array([0.0, -0.3, 0.2])
    assert link.p_LLcm == pytest.approx(X_FT.apply(moment / 52.0), abs=1e-12)
    about = np.trace(link.I_LLcm_L) + 2.0 * 52.0 * float(link.p_LLcm @ link.p_LLcm)  # about the origin, in any axes
    each = 41.0 + 0.06 + 2.0 * (47.0 * 0.015**2 + 3.0 * (0.2**2 + 0.1**2) + 2.0 * (0.3**2 + 0.2**2))
    assert about == pytest.approx(each, rel=1e-12)


def test_a_mockup_is_turned_with_the_plate() -> None:
    thing = Equipment("tool", 5.0, (0.1, 0.2, 0.3), (0.1, 0.2, 0.25), shapes=client_mockup().shapes)
    tool = mockup_on(thing, X_FT)
    assert tool.p_FFcm == pytest.approx([-0.2, 0.1, 0.3])
    assert np.array(tool.inertia) == pytest.approx(np.diag([0.2, 0.1, 0.25]))
    assert tool.X_FT == X_FT
    assert [s.X_LG.p[2] for s in tool.shapes] == pytest.approx([s.X_LG.p[2] for s in thing.shapes])
