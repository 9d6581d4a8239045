import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.missions.orbit_settings import ElementsStart, OrbitSettings, PresetStart, StateStart
from freefloat.orbit.kepler import Elements, preset


def test_the_three_ways_to_start_make_the_same_orbit():
    elements = preset("leo-400")
    p, v = elements.state()
    starts = (
        PresetStart(orbit="leo-400"),
        ElementsStart(a=elements.a, e=0.0, i=elements.i),
        StateStart(position=tuple(p.tolist()), velocity=tuple(v.tolist())),
    )
    for start in starts:
        reference = OrbitSettings(start=start).frame(1.0).reference
        assert reference.position(0.0) == pytest.approx(p, abs=1e-6)
        assert reference.velocity(0.0) == pytest.approx(v, abs=1e-9)


def test_node_and_anomaly_turn_a_preset():
    start = PresetStart(orbit="sso-700", node=0.7, anomaly=1.1)
    p, v = OrbitSettings(start=start).frame(1.0).reference.knots[0, :6].reshape(2, 3)
    found = Elements.from_state(p, v)
    assert found.raan == pytest.approx(0.7)
    assert found.i == pytest.approx(preset("sso-700").i)
    assert found.a == pytest.approx(preset("sso-700").a)


def test_third_bodies_and_degree_reach_the_reference():
    forces = OrbitSettings(third_bodies=False, degree=3).frame(1.0).reference.forces
    assert forces.bodies == ()
    assert forces.field.degree == 3


def test_a_short_run_makes_a_short_table():
    assert OrbitSettings().frame(0.5).ahead < 100.0
    assert OrbitSettings().frame(1e6).ahead == pytest.approx(3600.0)


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        (OrbitSettings(epoch="2090-01-01T00:00:00Z"), "outside the packaged Earth-orientation data"),
        (OrbitSettings(epoch="yesterday"), "not an ISO 8601 date"),
        (OrbitSettings(start=ElementsStart(a=6.6e6, e=0.1)), "below the surface"),
        (OrbitSettings(start=StateStart(velocity=(0.0, 2e4, 0.0))), "not on a bound orbit"),
    ],
)
def test_an_orbit_that_cannot_be_is_refused_in_one_line(settings, problem):
    with pytest.raises(InputError, match=problem) as caught:
        settings.frame()
    assert "\n" not in str(caught.value)


def test_the_period_is_that_of_kepler():
    assert OrbitSettings().period() == pytest.approx(2 * np.pi * np.sqrt(6778137.0**3 / 3.986004415e14))
