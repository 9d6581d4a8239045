"""Sheets of plans are drawn for both kinds of grids, and saved as our own PNG."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from freefloat.errors import InputError
from freefloat.structure.design.check import check_design
from freefloat.structure.design.file import load_design
from freefloat.view.configuration import is_configuration
from freefloat.view.configuration_scene import Contents
from freefloat.view.plan_sheet import PlanState, draw_plan_sheet


@pytest.mark.parametrize(("name", "side"), [("slab-20", 4), ("mirror-tiles", 6)])
def test_a_sheet_has_a_picture_of_each_state_and_a_legend(
    name: str,
    side: int,
    tmp_path: Path,
    draw_roughly: Callable[[pytest.MonkeyPatch], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    draw_roughly(monkeypatch)
    body = check_design(load_design(name)).body
    place = int(body.occupied[0])
    states = [PlanState(Contents.of(body), {"wm": (place, side)}, "start", "as it is")]
    states.append(PlanState(Contents.of(body), {"wm": (place, side)}, "operation 1: goal", "nothing", (place,)))
    figure = draw_plan_sheet(states, tmp_path / "sheet.png", "from here to here")
    assert is_configuration(tmp_path / "sheet.png")
    titles = [ax.get_title() for sub in figure.subfigs for ax in sub.axes]
    assert titles[:2] == ["start", "operation 1: goal"]
    legend = figure.subfigs[1].axes[0].get_legend()
    assert legend is not None
    told = [text.get_text() for text in legend.get_texts()]
    assert "robot wm stands" in told
    assert "edges: placed since\nthe last picture" in told


def test_a_sheet_of_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="at least one state"):
        draw_plan_sheet([])
