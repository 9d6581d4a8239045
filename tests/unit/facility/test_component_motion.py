import numpy as np
import pytest

from freefloat.facility.axes import CYCLE
from freefloat.facility.component_motion import Jog, Wave, beyond
from freefloat.facility.components import HELD, ComponentPath, component
from freefloat.facility.kinematics import LAB_VIEW, Kinematics
from freefloat.verify.facility_rig import HOME

K = Kinematics()


def path(frame: str = "GLC", name: str = "y", robot: int = 2) -> ComponentPath:
    return ComponentPath(K, component(frame, name, robot), HOME, LAB_VIEW)


def test_a_sine_grows_and_fades_without_steps_and_is_full_in_between() -> None:
    wave = Wave(path(), 0.1, 0.5, 3)
    t = np.arange(0.0, wave.duration + 1e-9, 1e-3)
    s, v, a = wave.way(t)
    assert wave.duration == pytest.approx(10.0)
    for row in (s, v, a):
        assert abs(row[0]) < 1e-12
        assert abs(row[-1]) < 1e-9
    np.testing.assert_allclose(np.gradient(s, t)[1:-1], v[1:-1], atol=1e-5)
    np.testing.assert_allclose(np.gradient(v, t)[1:-1], a[1:-1], atol=1e-4)
    full = (t >= 2.0) & (t <= 8.0)
    np.testing.assert_allclose(s[full], 0.1 * np.sin(np.pi * t[full]), atol=1e-12)


def test_a_sine_of_a_component_moves_the_axes_as_their_differences_say() -> None:
    wave = Wave(path(), 0.1, 0.5, 1)
    rows = []
    while not wave.finished:
        rows.append(wave.next())
    q, v, a = (np.array(one) for one in zip(*rows, strict=True))
    for value, rate in ((q, v), (v, a)):
        fourth_order = (value[:-4] - 8 * value[1:-3] + 8 * value[3:-1] - value[4:]) / (12 * CYCLE)
        np.testing.assert_allclose(fourth_order[4:-4], rate[6:-6], atol=1e-5)  # derivatives of w step at its ends
    np.testing.assert_allclose(q[-1], HOME, atol=1e-12)


def test_peaks_of_a_sine_are_those_of_its_motion() -> None:
    wave = Wave(path("GLC", "z", 1), 0.15, 0.4, 2)
    speed, acceleration, _ = wave.peaks()
    rows = []
    while not wave.finished:
        rows.append(wave.next())
    np.testing.assert_allclose(speed, np.abs([v for _, v, _ in rows]).max(axis=0), rtol=2e-3, atol=1e-6)
    np.testing.assert_allclose(acceleration, np.abs([a for _, _, a in rows]).max(axis=0), rtol=2e-3, atol=1e-5)


def test_a_jog_reaches_its_speed_and_rests_on_its_way_when_released() -> None:
    jog = Jog(path(), 0.5, 5.0)
    jog.speed = 0.1
    for _ in range(200):
        q, v, _ = jog.advance(jog.capped(np.inf))
    tool = (K.tool_poses(q + CYCLE * v)[1].p - K.tool_poses(q)[1].p) / CYCLE
    np.testing.assert_allclose(tool, [0.0, 0.1, 0.0], atol=1e-4)
    jog.released = True
    while not jog.finished:
        q, v, a = jog.advance(0.0)
    assert not v.any()
    assert not a.any()
    moved = K.tool_poses(q)[1].p - K.tool_poses(HOME)[1].p
    assert abs(moved[0]) < 1e-9
    assert abs(moved[2]) < 1e-9


def test_a_jog_is_capped_by_the_speed_of_the_tool() -> None:
    jog = Jog(path("IJT", "A1", 2), 1.0, 10.0)
    jog.speed = -2.0
    assert jog.capped(0.25) == pytest.approx(-0.25 / (1.9 + HELD[1]), rel=1e-5)
    jog.speed = 0.01
    assert jog.capped(0.25) == 0.01


def test_what_is_beyond_is_told_with_value_and_limit() -> None:
    peaks, limits = np.full(13, 0.5), np.ones(13)
    assert beyond(peaks, limits, "speed") == ""
    peaks[2] = 2.0
    assert beyond(peaks, limits, "acceleration") == "acceleration of rob1 A2 2 rad/s^2; allowed: 1 rad/s^2"
