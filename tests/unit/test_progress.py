"""Progress: shown when a run is long and somebody looks, never in the way."""

from __future__ import annotations

import io
import sys

import pytest

import freefloat as ff
from freefloat import progress
from freefloat.progress import alone, shown


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


def look(monkeypatch: pytest.MonkeyPatch) -> Screen:
    """A terminal that rich takes for one; set in the test itself, because pytest captures anew after its fixtures."""
    made = Screen()
    monkeypatch.setattr(sys, "stderr", made)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "100")
    return made


def test_a_short_run_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = look(monkeypatch)
    ff.Mission([ff.RigidBody("bus")]).run(0.1)
    assert screen.getvalue() == ""


def test_a_long_run_shows_how_far_it_is_and_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = look(monkeypatch)
    monkeypatch.setattr(progress, "WAIT", 0.0)
    monkeypatch.setattr(progress, "PERIOD", 0.0)
    clock = iter(float(k) for k in range(1000))
    monkeypatch.setattr(progress.time, "perf_counter", lambda: next(clock))
    with shown(None) as tell:
        for t in (0.0, 25.0, 50.0, 100.0):
            tell(t, 100.0)
    text = screen.getvalue()
    assert "25 of 100 s" in text
    assert "6 s left" in text, "a quarter took two seconds"


def test_a_file_gets_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "WAIT", 0.0)
    monkeypatch.setattr(progress, "LEAST", 0.0)
    file = io.StringIO()
    monkeypatch.setattr(sys, "stderr", file)
    with shown(None) as tell:
        tell(1.0, 100.0)
    assert file.getvalue() == ""


def test_progress_can_be_switched_off_and_there_is_one_bar_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = look(monkeypatch)
    monkeypatch.setattr(progress, "WAIT", 0.0)
    monkeypatch.setattr(progress, "LEAST", 0.0)
    with shown(False) as tell:
        tell(1.0, 100.0)
    with alone(), shown(None) as tell:
        tell(1.0, 100.0)
    assert screen.getvalue() == ""


def test_a_function_hears_of_time_and_duration_and_the_sessions_own_pause_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("freefloat.engine.recorder.DRAIN_PERIOD", -1.0)
    heard, paused = list[tuple[float, float]](), list[float]()
    mission = ff.Mission([ff.RigidBody("bus")])
    session = mission.session()
    session.on_pause = lambda: paused.append(session.time)
    mission.complete(session, 1.0, progress=lambda t, duration: heard.append((t, duration)))
    assert heard[0] == (0.0, 1.0)
    assert heard[-1] == (1.0, 1.0)
    assert paused


def test_a_bar_changes_no_number(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = look(monkeypatch)
    mission = ff.Mission([ff.RigidBody("bus", motion=ff.Motion(w_WL_L=(0.1, 0.2, 0.3)))])
    plain, told = (mission.run(0.5, progress=given) for given in (False, True))
    assert screen.getvalue()
    assert plain.metrics == told.metrics
    assert (plain["bus.q_WB"] == told["bus.q_WB"]).all()


@pytest.mark.parametrize(("seconds", "text"), [(7.4, "7 s"), (200.0, "3:20 min"), (7500.0, "2:05 h")])
def test_the_time_left_is_short_to_read(seconds: float, text: str) -> None:
    assert progress._clock(seconds) == text
