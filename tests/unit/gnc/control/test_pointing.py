import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.frames import quat_conj, quat_exp, quat_log, quat_mul, quat_to_matrix
from freefloat.gnc.control.pointing import (
    ECLIPTIC_NORTH,
    SUN_RATE,
    InertialPointing,
    LVLHPointing,
    SunPointing,
)

MU = 3.986004418e14  # [m^3/s^2]


def kepler(t: float, a: float = 7.2e6, e: float = 0.1, tilt: float = 0.9) -> tuple[np.ndarray, np.ndarray]:
    """Position and velocity on an inclined elliptic orbit."""
    M = np.sqrt(MU / a**3) * t + 0.7
    E = M
    for _ in range(50):
        E -= (E - e * np.sin(E) - M) / (1.0 - e * np.cos(E))
    b = a * np.sqrt(1.0 - e**2)
    Ed = np.sqrt(MU / a**3) / (1.0 - e * np.cos(E))
    p = np.array([a * (np.cos(E) - e), b * np.sin(E), 0.0])
    v = np.array([-a * np.sin(E), b * np.cos(E), 0.0]) * Ed
    R = quat_to_matrix(quat_exp([tilt, 0.3, 0.2]))
    return R @ p, R @ v


def orbit(t: float) -> dict[str, np.ndarray]:
    p, v = kepler(t)
    return {"p_ECI": p, "v_ECI": v}


def sun(t: float) -> dict[str, np.ndarray]:
    """The mean Sun on its circle: AU times a unit vector."""
    x = np.array([1.0, 0.0, 0.0])
    y = np.cross(ECLIPTIC_NORTH, x)
    angle = SUN_RATE * t + 1.1
    return {"sun_W": 1.496e11 * (np.cos(angle) * x + np.sin(angle) * y)}


def rate_by_difference(mode, inputs, t: float, dt: float) -> np.ndarray:
    before, after = (mode.at(t + s, inputs(t + s)).q_WR for s in (-dt, dt))
    return quat_log(quat_mul(quat_conj(before), after)) / (2.0 * dt)


OFFSET = quat_exp([0.3, -0.8, 1.2])


@pytest.mark.parametrize("q_LR", [np.array([1.0, 0, 0, 0]), OFFSET])
@pytest.mark.parametrize("t", [0.0, 1234.5, 4000.0])
def test_lvlh_rate_and_acceleration_are_the_derivatives_on_an_elliptic_orbit(q_LR, t):
    mode = LVLHPointing(q_LR)
    ref = mode.at(t, orbit(t))
    np.testing.assert_allclose(ref.w_WR_R, rate_by_difference(mode, orbit, t, 0.1), atol=1e-10)
    after, before = (mode.at(t + s, orbit(t + s)).w_WR_R for s in (1.0, -1.0))
    np.testing.assert_allclose(ref.a_WR_R, (after - before) / 2.0, atol=1e-12)


def test_lvlh_axes_point_to_nadir_against_the_normal_and_forward():
    p, v = kepler(2000.0)
    R = quat_to_matrix(LVLHPointing().at(2000.0, orbit(2000.0)).q_WR)
    np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-14)
    assert np.linalg.det(R) == pytest.approx(1.0)
    np.testing.assert_allclose(R[:, 2], -p / np.linalg.norm(p), atol=1e-14)
    np.testing.assert_allclose(R[:, 1], -np.cross(p, v) / np.linalg.norm(np.cross(p, v)), atol=1e-14)
    assert R[:, 0] @ v > 0.0


def test_lvlh_rate_follows_a_turning_orbit_plane_where_the_acceleration_is_given():
    p0, v0 = kepler(0.0)
    normal = np.cross(p0, v0) / np.linalg.norm(np.cross(p0, v0))
    a = -MU * p0 / np.linalg.norm(p0) ** 3 + 0.02 * normal

    def thrusting(t: float) -> dict[str, np.ndarray]:
        return {"p_ECI": p0 + v0 * t + 0.5 * a * t**2, "v_ECI": v0 + a * t}

    expected = rate_by_difference(LVLHPointing(), thrusting, 0.0, 0.05)
    given = LVLHPointing().at(0.0, thrusting(0.0) | {"a_ECI": a}).w_WR_R
    np.testing.assert_allclose(given, expected, atol=1e-10)
    assert abs(LVLHPointing().at(0.0, thrusting(0.0)).w_WR_R[2] - expected[2]) > 1e-6


def test_a_circular_orbit_turns_once_per_period():
    r = 6.778e6
    n = np.sqrt(MU / r**3)
    meas = {"p_ECI": np.array([r, 0, 0]), "v_ECI": np.array([0, n * r, 0])}
    ref = LVLHPointing().at(0.0, meas)
    np.testing.assert_allclose(ref.w_WR_R, [0.0, -n, 0.0], atol=1e-18)
    np.testing.assert_array_equal(ref.a_WR_R, np.zeros(3))


@pytest.mark.parametrize(
    ("axis", "second"), [((1, 0, 0), (0, 0, 1)), ((0, 0, -2), (1, 1, 0)), ((0.2, 0.5, 0.1), (1, 0, 0))]
)
def test_sun_pointing_holds_its_axis_on_the_sun_and_turns_with_it(axis, second):
    mode = SunPointing(axis, second)
    for t in (0.0, 3e6, 1.7e7):
        ref = mode.at(t, sun(t))
        R = quat_to_matrix(ref.q_WR)
        s = sun(t)["sun_W"] / np.linalg.norm(sun(t)["sun_W"])
        np.testing.assert_allclose(R @ (np.array(axis) / np.linalg.norm(axis)), s, atol=1e-14)
        np.testing.assert_allclose(ref.w_WR_R, rate_by_difference(mode, sun, t, 1000.0), atol=1e-14)


def test_sun_pointing_turns_its_second_axis_as_near_as_possible_to_the_given_direction():
    mode = SunPointing(axis=(1, 0, 0), second=(0, 0.6, 0.8), toward_W=(0.1, 0.2, 1.0))
    meas = sun(1e6)
    q = mode.at(0.0, meas).q_WR
    d = np.array([0.1, 0.2, 1.0])

    def nearness(roll: float) -> float:
        return float(d @ quat_to_matrix(quat_mul(q, quat_exp([roll, 0, 0]))) @ [0, 0.6, 0.8])

    rolls = np.linspace(-np.pi, np.pi, 721)
    assert max(rolls, key=nearness) == pytest.approx(0.0, abs=1e-12)


def test_inertial_pointing_stands_still_and_has_a_canonical_quaternion():
    ref = InertialPointing(-OFFSET).at(5.0, {})
    np.testing.assert_allclose(ref.q_WR, OFFSET, atol=1e-15)
    assert not ref.w_WR_R.any()
    assert not ref.a_WR_R.any()


def test_directions_that_define_no_frame_are_refused():
    with pytest.raises(InputError, match="axis and second"):
        SunPointing(axis=(1, 0, 0), second=(-2, 0, 0))
    with pytest.raises(InputError, match="toward_W"):
        SunPointing(toward_W=(0, 0, 1)).at(0.0, {"sun_W": np.array([0.0, 0.0, 1.0])})
    with pytest.raises(InputError, match="orbit plane"):
        LVLHPointing().at(0.0, {"p_ECI": np.array([7e6, 0, 0]), "v_ECI": np.array([1e3, 0, 0])})
