import numpy as np
import pytest

import freefloat as ff
from freefloat.docking import DockingProbe
from freefloat.errors import InputError


def mission(probe: DockingProbe, step: float = 5e-4) -> ff.Mission:
    return ff.Mission([ff.RigidBody("chaser", frames={"ring": ff.Pose.identity()}), probe], integrator=ff.RK4(step))


def test_a_compressed_probe_comes_back_as_its_spring_damper_and_masses_say():
    probe = DockingProbe("probe", "chaser.ring", stiffness=1000.0, damping=40.0)
    session = mission(probe).session()
    session.set_joint("probe.slide", -0.1, 0.0)
    reduced = 1.0 / (1.0 / probe.head_mass + 1.0 / (1000.0 + probe.guide_mass))
    w, d = np.sqrt(1000.0 / reduced), 0.5 * 40.0 / reduced
    root = np.sqrt(w * w - d * d)
    session.step(0.1)
    expected = -0.1 * np.exp(-d * 0.1) * (np.cos(root * 0.1) + d / root * np.sin(root * 0.1))
    assert session.read("probe.q")[0] == pytest.approx(expected, rel=1e-6)
    assert session.read("probe.attenuation")[0] == pytest.approx(
        -1000.0 * session.read("probe.q")[0] - 40.0 * session.read("probe.qd")[0]
    )


def test_the_stops_end_the_stroke_both_ways():
    probe = DockingProbe("probe", "chaser.ring", stiffness=0.0, damping=0.0, stroke=0.2)
    session = mission(probe).session()
    session.set_joint("probe.slide", -0.1, -0.2)
    places = []
    for _ in range(600):
        session.step(0.01)
        places.append(float(session.read("probe.q")[0]))
    depth = 0.2 * np.sqrt(probe.head_mass / probe.stop_stiffness)
    assert -0.2 - depth < min(places) < -0.2
    assert 0.0 < max(places) < depth


def test_the_drive_is_limited_and_the_head_keeps_the_chasers_momentum():
    probe = DockingProbe("probe", "chaser.ring", drive=50.0)
    session = mission(probe).session()
    session.write("probe.drive", [-500.0])
    session.step(5.0)
    assert session.read("probe.q")[0] == pytest.approx(-50.0 / probe.stiffness, rel=1e-3)
    assert np.abs(session.world.audit()["momentum"]).max() < 1e-12


@pytest.mark.parametrize("wrong", [{"stroke": 0.0}, {"stroke": 0.45}, {"damping": -1.0}, {"head_mass": np.inf}])
def test_numbers_that_a_probe_cannot_have_are_refused(wrong):
    with pytest.raises(InputError, match="allowed"):
        DockingProbe("probe", "chaser.ring", **wrong)
