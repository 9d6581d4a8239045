"""Every example runs, is short, and saves a plot only when asked."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


def _run(example: Path, arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", [example.name, *arguments])
    runpy.run_path(str(example), run_name="__main__")


def test_the_ladder_has_no_missing_rung() -> None:
    assert [e.name[:2] for e in EXAMPLES] == [f"{n:02d}" for n in range(1, len(EXAMPLES) + 1)]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.stem)
def test_an_example_is_under_100_lines_and_says_its_idea(example: Path) -> None:
    text = example.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 100
    assert text.startswith('"""')


def runs() -> list[Any]:
    """Examples; those whose steps a page of the docs runs too are slow."""
    alike = {"14_plan_with_obstacles"}
    return [pytest.param(e, id=e.stem, marks=[pytest.mark.slow] if e.stem in alike else []) for e in EXAMPLES]


@pytest.mark.parametrize("example", runs())
def test_an_example_runs_and_saves_its_plot(
    example: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    draw_roughly: Callable[[pytest.MonkeyPatch], None],
) -> None:
    monkeypatch.chdir(tmp_path)
    draw_roughly(monkeypatch)
    _run(example, ["--plot", str(tmp_path / "plot.png")], monkeypatch)
    out = capsys.readouterr().out
    assert 2 <= len(out.splitlines()) <= 20
    assert "failed" not in out
    assert "different" not in out
    assert [p.name for p in tmp_path.iterdir()] == ["plot.png"]


def test_an_example_without_plot_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _run(EXAMPLES[0], [], monkeypatch)
    assert list(tmp_path.iterdir()) == []
