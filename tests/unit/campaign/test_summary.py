from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from freefloat.campaign.about import About
from freefloat.campaign.criteria import Criterion
from freefloat.campaign.sampling import Cases
from freefloat.campaign.summary import summarise
from freefloat.campaign.variation import parse_variation

VARIED = tuple(
    map(parse_variation, ("offset=uniform(-100 mm, 100 mm)", "tilt=normal(0 deg, 1 deg)", "kind=choice(flat, uneven)"))
)
CRITERION = "docked == 1 and force_n < 700"


def campaign(sampling: Any, runs: int) -> tuple[pl.DataFrame, About]:
    """Rows of a made-up campaign: far offsets fail, every ninth case dies."""
    cases = Cases(VARIED, sampling, 1, runs)
    rows = []
    for n in range(len(cases)):
        values, ok = cases.values(n), n % 9 != 8
        docked = float(abs(values["offset"]) < 0.08)
        metrics = {"docked": docked, "force_n": 400.0 + 5e3 * abs(values["offset"]), "time_s": 5.0 if docked else None}
        metrics = metrics if ok else dict.fromkeys(metrics)
        success = ok and Criterion.parse(CRITERION)(metrics)
        told = {"success": success, "status": "ok" if ok else "died", "reason": "" if ok else "<signal 9>"}
        given = {f"in.{path}": value for path, value in values.items()}
        rows.append({"case": n, "seed": cases.seed_of(n), **given, **metrics, **told, "run.wall_s": 0.1})
    about = About("try", "dock", sampling, 1, CRITERION, VARIED, folder="runs/try", signal_units={"w": "rad/s"})
    return pl.DataFrame(rows, infer_schema_length=None), about


@pytest.mark.parametrize(("sampling", "runs"), [("random", 80), ("sensitivity", 16)])
def test_a_summary_counts_every_case_and_shows_all_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, draw_roughly: Any, sampling: Any, runs: int
) -> None:
    draw_roughly(monkeypatch)
    frame, about = campaign(sampling, runs)
    signals = {"w": {n: (np.arange(5.0), np.full((5, 2), n)) for n in range(10)}}
    told = summarise(tmp_path, frame, about, signals)
    assert told["cases"] == len(frame)
    assert told["failed"] == told["statuses"]["died"] == len(frame) // 9
    assert told["successes"] == frame["success"].sum()
    assert told["success_low"] < told["success_rate"] < told["success_high"]
    assert told["reasons"][0] == {"status": "died", "reason": "<signal 9>", "cases": len(frame) // 9, "first": 8}
    assert json.loads((tmp_path / "summary.json").read_text()) == told
    forces = [row["metrics"]["force_n"] for row in told["worst"]]
    assert told["worst_by"] == "force_n"
    assert forces == sorted(forces, reverse=True)
    assert forces[0] == max(frame["force_n"].drop_nulls())
    assert bool(told["sobol"]) == (sampling == "sensitivity")
    page = (tmp_path / "summary.html").read_text()
    assert page.count("data:image/png;base64,") == 7 + (sampling == "sensitivity")
    assert "&lt;signal 9&gt;" in page
    assert "http" not in page.replace("http-equiv", "")  # nothing from elsewhere
    assert f"--case runs/try:{told['worst'][0]['case']}" in page


def test_the_same_rows_in_another_order_give_the_same_summary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, draw_roughly: Any
) -> None:
    draw_roughly(monkeypatch)
    frame, about = campaign("random", 40)
    one = summarise(tmp_path, frame, about)
    assert one == summarise(tmp_path, frame.reverse(), about)


def test_a_campaign_that_has_just_begun_has_a_summary_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, draw_roughly: Any
) -> None:
    draw_roughly(monkeypatch)
    frame, about = campaign("random", 9)
    for rows in (0, 1, 2):
        told = summarise(tmp_path, frame.head(rows), about)
        assert told["cases"] == rows
        assert told["success_rate"] is None or 0.0 <= told["success_rate"] <= 1.0
