"""What goes into a panel: one unit, names for entries, angles in degrees, attitudes without jumps."""

from __future__ import annotations

import numpy as np
import pytest

from freefloat.engine.panels import Panel, panels_of
from freefloat.engine.signals import Signal
from freefloat.frames import quat_exp, rpy_to_matrix, so3_log

T = np.linspace(0.0, 1.0, 41)


def test_units_get_panels_of_their_own_and_angles_are_in_degrees() -> None:
    pose = Signal("p.pose", "m, m, rad", (3,), "W", "where", ("x", "y", "theta"))
    values = np.column_stack([T, 2.0 * T, np.pi * T])
    place, angle = panels_of(pose, range(3), values)
    assert (place.axis, list(place.lines)) == ("pose [m]", ["x", "y"])
    assert angle.axis == "pose: theta [deg]"
    assert angle.lines["theta"] == pytest.approx(180.0 * T)


def test_entries_of_an_old_log_whose_units_are_not_known_never_share_a_panel() -> None:
    slope = Signal("o.slope", "m/s^2, rad/s^2", (3,), "W")
    assert [len(p.lines) for p in panels_of(slope, range(3), np.ones((5, 3)))] == [1, 1, 1]


def test_an_attitude_keeps_its_sign_and_stands_above_its_angles() -> None:
    q = np.array([quat_exp([0.0, 0.0, a]) for a in np.linspace(0.0, 1.8 * np.pi, 41)])
    q *= np.where(q[:, :1] < 0.0, -1.0, 1.0)  # w >= 0, as signals are
    above, below = panels_of(Signal("b.q_WB", "-", (4,), "W"), range(4), q)
    assert list(above.lines) == ["w", "x", "y", "z"]
    assert max(np.abs(np.diff(line)).max() for line in above.lines.values()) < 0.1
    assert (below.unit, list(below.lines)) == ("deg", ["roll", "pitch", "yaw"])
    assert np.isnan(below.lines["yaw"]).sum() == 1  # where 180 deg become -180


def test_the_angles_are_those_of_the_rotation() -> None:
    R = rpy_to_matrix(0.3, -0.7, 1.1)
    q = quat_exp(so3_log(R))[None]
    angles = panels_of(Signal("b.q_WB", "-", (4,), "W"), range(4), q)[1].lines
    assert [float(np.deg2rad(angles[n][0])) for n in ("roll", "pitch", "yaw")] == pytest.approx([0.3, -0.7, 1.1])


def test_entries_without_a_number_are_left_out() -> None:
    values = np.ones((4, 3))
    values[:, 1] = np.nan
    (panel,) = panels_of(Signal("m.temperature", "K", (3,), labels=("a", "b", "c")), range(3), values)
    assert list(panel.lines) == ["a", "c"]


def test_many_vectors_get_a_panel_for_each_axis() -> None:
    made = panels_of(Signal("touch.f_W", "N", (5, 3), "W"), range(15), np.ones((4, 15)))
    assert [next(iter(p.lines)) for p in made] == ["0 x", "0 y", "0 z"]


def test_states_tell_what_their_numbers_mean() -> None:
    (panel,) = panels_of(Signal("h.state", "-", (1,), "", "0 open; 1 closing; 2 closed"), [0], np.zeros((3, 1)))
    assert panel.codes == {0.0: "open", 1.0: "closing", 2.0: "closed"}
    (other,) = panels_of(
        Signal("h.module", "-", (1,), "", "identity of the module held; 0: none"), [0], np.zeros((3, 1))
    )
    assert not other.codes


def test_long_ways_are_in_kilometres() -> None:
    (panel,) = panels_of(Signal("orbit.p_IW", "m", (3,), "I"), range(3), np.outer(T, [7e6, 1.0, 0.0]))
    assert panel.axis == "p_IW [km]"
    assert panel.lines["x"][-1] == pytest.approx(7000.0)


def test_what_settles_early_is_enlarged_from_there_on_and_nothing_else_is() -> None:
    t = np.linspace(0.0, 100.0, 1001)

    def start(values: np.ndarray) -> int:
        return Panel("error", "deg", "", {"x": values, "y": 0.5 * values}).settled(t)

    assert 45 < start(np.exp(-t)) <= 251
    ripple = np.where(t < 5.0, 90.0, 0.01 * np.sin(t))
    assert start(ripple) == 50
    assert start(ripple[::-1]) == start(np.sin(t)) == start(np.where(t < 5.0, 90.0, 0.0)) == 0


def test_pulses_of_several_get_rows_and_a_few_steps_do_not() -> None:
    t = np.linspace(0.0, 10.0, 1001)
    on = (np.sin(20.0 * t) > 0.5).astype(float)
    assert Panel("thrust", "N", "", {"a": 8.0 * on, "b": 5.0 * on, "c": 0.0 * on}).pulse == 8.0
    assert Panel("thrust", "N", "", {"a": 8.0 * on}).pulse == 0.0
    assert Panel("power", "W", "", dict.fromkeys("abc", 8.0 * (t > 5.0))).pulse == 0.0
    assert Panel("speed", "m/s", "", dict.fromkeys("abc", np.sin(20.0 * t))).pulse == 0.0
