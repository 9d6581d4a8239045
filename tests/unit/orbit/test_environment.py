import copy
import pickle

import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.frames import matrix_to_quat, quat_exp, quat_to_matrix
from freefloat.orbit.atmosphere import air, air_velocity
from freefloat.orbit.earth import pole_axis
from freefloat.orbit.environment import LIGHT_SPEED, SurfaceForces, SurfaceHeat, plates_wrench
from freefloat.orbit.ephemeris import sun_position
from freefloat.orbit.epoch import Epoch
from freefloat.orbit.kepler import Elements, preset
from freefloat.orbit.lighting import sunlight
from freefloat.orbit.plates import Finish, Plate, box_plates

EPOCH = Epoch("2026-03-20T12:00:00Z")
BOX = box_plates((0.6, 0.8, 1.0))


def place(elements: Elements, t: float, q=(1.0, 0.0, 0.0, 0.0)) -> dict[str, np.ndarray]:
    p, v = elements.advanced(t).state()
    return {"p_IW": p, "v_IW": v, "p_WB": np.zeros(3), "v_WB": np.zeros(3), "q_WB": np.array(q)}


def test_a_box_has_closed_faces():
    assert sum(p.area * np.array(p.normal) for p in BOX) == pytest.approx(0.0, abs=1e-15)
    assert sum(p.area for p in BOX) == pytest.approx(2 * (0.6 * 0.8 + 0.8 * 1.0 + 0.6 * 1.0))


def test_drag_of_a_box_goes_through_its_centre_whatever_its_attitude():
    for rotvec in ([0.0, 0.0, 0.0], [0.3, -0.7, 1.1], [2.0, 1.0, 0.2]):
        flow = (quat_to_matrix(quat_exp(rotvec)).T @ [7600.0, 0.0, 0.0]).tolist()
        wrench = plates_wrench(BOX, 1e-11, flow, 0.0, [1.0, 0.0, 0.0])
        assert np.linalg.norm(wrench[3:]) > 1e-4
        assert wrench[:3] == pytest.approx(np.zeros(3), abs=1e-18)


def test_drag_is_the_published_law_at_the_sampled_density():
    forces, now = SurfaceForces(EPOCH, BOX, pressure=False), place(preset("leo-400"), 0.0)
    out = forces.update(0.0, now)
    density = air(EPOCH, 0.0, now["p_IW"]).density
    flow = now["v_IW"] - air_velocity(now["p_IW"], pole_axis(EPOCH))
    areas = np.array([0.8, 0.6, 0.48])
    expected = -0.5 * density * 2.2 * float(areas @ np.abs(flow)) * flow
    assert out["density"] == pytest.approx(density)
    assert out["wrench"][3:] == pytest.approx(expected, rel=1e-9)


def test_between_samples_the_density_stays_near_the_model():
    orbit = Elements(6378137.0 + 420e3, 0.01, 0.9, nu=1.5)
    forces = SurfaceForces(EPOCH, BOX)
    out = [forces.update(float(t), place(orbit, float(t))) for t in np.arange(0.0, 10.0, 0.5)][-1]
    model = air(EPOCH, 9.5, orbit.advanced(9.5).state()[0]).density
    assert out["density"][0] == pytest.approx(model, rel=0.02)


def test_solar_pressure_pushes_away_from_the_sun_and_stops_in_the_shadow():
    sun = sun_position(EPOCH)
    s = sun / np.linalg.norm(sun)
    across = np.cross(s, [0.0, 0.0, 1.0])
    lit, dark = (
        {"p_IW": r, "v_IW": 7600.0 * across, "p_WB": np.zeros(3), "v_WB": np.zeros(3), "q_WB": np.array([1.0, 0, 0, 0])}
        for r in (6.8e6 * s, -6.8e6 * s)
    )
    black = (Plate((1.0, 0.0, 0.0), 2.0, (0.0, 0.0, 0.0), Finish(specular=0.0, diffuse=0.0)),)
    out = SurfaceForces(EPOCH, black, drag=False).update(0.0, lit)
    light = sunlight(EPOCH, 0.0, lit["p_IW"])
    expected = -light.irradiance / LIGHT_SPEED * 2.0 * max(light.direction_I[0], 0.0) * light.direction_I
    assert out["light"] == pytest.approx(1.0)
    assert out["wrench"][3:] == pytest.approx(expected, rel=1e-9)
    out = SurfaceForces(EPOCH, black, drag=False).update(0.0, dark)
    assert out["light"] == pytest.approx(0.0)
    assert out["wrench"] == pytest.approx(np.zeros(6))


def test_the_wrench_is_in_body_axes():
    now = place(preset("leo-400"), 0.0)
    turned = now | {"q_WB": np.array([0.0, 0.0, 0.0, 1.0])}  # half a turn about z: the same box
    a, b = (SurfaceForces(EPOCH, BOX).update(0.0, m)["wrench"][3:] for m in (now, turned))
    assert b == pytest.approx([-a[0], -a[1], a[2]], rel=1e-9)


def test_there_is_no_air_in_geostationary_orbit():
    out = SurfaceForces(EPOCH, BOX, pressure=False).update(0.0, place(preset("geo"), 0.0))
    assert out["density"] == 0.0
    assert np.all(out["wrench"] == 0.0)


def test_a_copy_and_a_pickle_go_on_the_same():
    forces, orbit = SurfaceForces(EPOCH, BOX), preset("leo-400")
    forces.update(0.0, place(orbit, 0.0))
    others = copy.deepcopy(forces), pickle.loads(pickle.dumps(forces))
    later = place(orbit, 0.7)
    expected = forces.update(0.7, later)["wrench"]
    for other in others:
        np.testing.assert_array_equal(other.update(0.7, later)["wrench"], expected)


def test_forces_at_an_epoch_without_earth_orientation_data_are_refused():
    with pytest.raises(InputError, match="Earth-orientation"):
        SurfaceForces(Epoch("2030-01-01T00:00:00Z"), BOX)


def test_a_face_to_the_earth_absorbs_more_than_one_to_space_in_the_shadow():
    sun = sun_position(EPOCH)
    p = -6.8e6 * sun / np.linalg.norm(sun)
    x = -p / np.linalg.norm(p)
    y = np.cross(x, [0.0, 0.0, 1.0]) / np.linalg.norm(np.cross(x, [0.0, 0.0, 1.0]))
    q = matrix_to_quat(np.column_stack([x, y, np.cross(x, y)]))
    power = SurfaceHeat(EPOCH, BOX).update(0.0, {"p_IW": p, "p_WB": np.zeros(3), "q_WB": q})["absorbed"]
    assert power.shape == (6,)
    assert power[0] == pytest.approx(0.8 * 237.0 * 0.8 * (6378137.0 / 6.8e6) ** 2, rel=1e-6)
    assert power[1] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("bad", [{"specular": 0.8, "diffuse": 0.4}, {"cd": -1.0}, {"emissivity": 1.2}])
def test_a_finish_that_cannot_be_is_refused(bad):
    with pytest.raises(InputError, match=r"finish: .*; allowed"):
        Finish(**bad)
