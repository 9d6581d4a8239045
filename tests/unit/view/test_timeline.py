"""The timeline of a mission: what robots do is read from joints and hands, and trouble is marked."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from freefloat.engine.event import Fired
from freefloat.engine.review import Review
from freefloat.hand_words import HandState as S
from freefloat.view.timeline import CARRIES, FAILED, HANDLES, MOVES, REST, activity, draw_timeline, steps_of, stretches

HANDS = {"a": "load_a", "b": "load_b"}
A = [S.CLOSED, S.CLOSED, S.CLOSED, S.CLOSED, S.CLOSED, S.CLOSED, S.OPENING, S.OPEN]
B = [S.OPEN, S.OPEN, S.CLOSING, S.CARRYING, S.FAILED, S.CLOSED, S.CLOSED, S.CLOSED]


class Made(SimpleNamespace):
    """As much of a result as the timeline reads, at 1 Hz."""

    def __getitem__(self, name: str) -> Any:
        return np.asarray(self.signals[name], dtype=float)

    def time(self, name: str) -> Any:
        return np.arange(float(len(self.signals[name])))


@pytest.fixture
def made() -> Any:
    column = np.reshape
    signals = {
        "modules.a.state": column(A, (-1, 1)),
        "modules.b.state": column(B, (-1, 1)),
        "wm.qd": column([0.0, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0, -0.1], (-1, 1)),
        "load_a.identity": np.zeros((8, 1)),
        "load_b.identity": column([0, 0, 0, 7, 7, 0, 0, 0], (-1, 1)),
        "stack.q_WB": np.tile([1.0, 0.0, 0.0, 0.0], (8, 1)),
    }
    events = [Fired(4.0, "plan.recovery", "it did not close; again"), Fired(3.0, "b.picked", "")]
    review = Review({}, (), {"clearance_m": (np.arange(8.0), np.linspace(0.2, 0.1, 8))})
    return Made(signals=signals, events=events, review=review, duration=8.0)


def test_what_a_robot_does_follows_from_its_joints_and_hands(made: Any) -> None:
    expected = [REST, MOVES, HANDLES, CARRIES, FAILED, REST, HANDLES, MOVES]
    assert activity(made, "wm", HANDS).tolist() == expected
    assert stretches(np.array([2, 2, 0, 2])) == [(0, 2, 2), (2, 3, 0), (3, 4, 2)]


def test_a_step_is_where_the_robot_stands_on_its_other_hand(made: Any) -> None:
    assert steps_of(made, HANDS) == [7]
    made.signals["modules.a.state"][6:] = S.CLOSED
    assert steps_of(made, HANDS) == []


def test_the_page_shows_work_trouble_clearance_and_pointing(made: Any, tmp_path: Path) -> None:
    figure = draw_timeline(made, {"wm": HANDS}, "stack", tmp_path / "timeline.png")
    assert (tmp_path / "timeline.png").stat().st_size > 5000
    work, clearance, turn = figure.axes
    assert {t.get_text() for t in work.texts} == {"7", "step"}
    legend = work.get_legend()
    assert legend is not None
    assert "recovery (1)" in {t.get_text() for t in legend.get_texts()}
    assert "least of all 100.0 mm" in clearance.get_title(loc="left")
    assert "at most 0 deg" in turn.get_title(loc="left")
    made.review = Review({})
    assert len(draw_timeline(made, {"wm": HANDS}, "stack").axes) == 2
