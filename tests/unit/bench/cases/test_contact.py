import math

import pytest

from freefloat.bench.cases.contact import Effort, figures


@pytest.fixture(scope="module")
def found():
    """The figures of a tiny run."""
    return {figure.name: figure for figure in figures(Effort(steps=10, rounds=1, kind_rounds=1))}


def test_contact_reports_its_figures_and_what_was_done(found):
    assert list(found)[:4] == [
        "contact_over_free_ratio",
        "far_over_free_ratio",
        "touching_over_free_ratio",
        "free_us_per_step",
    ]
    assert all(math.isfinite(figure.value) for figure in found.values())
    assert all(figure.note for figure in found.values())


def test_every_kind_of_pair_has_a_price(found):
    kinds = [name.removesuffix("_us_per_step") for name in found if name.endswith("_us_per_step")]
    assert {"sphere_plane", "sphere_cone", "sphere_ground", "capsule_capsule", "box_box"} <= set(kinds)
