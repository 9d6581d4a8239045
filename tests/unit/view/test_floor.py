"""Pictures of a platform's run: they are written, show what happened, and are not blank."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.image import imread

from freefloat.missions.platform.control import TrackerSetup
from freefloat.missions.platform.reacsa_scenario import ReacsaScenario
from freefloat.platforms.catalogue import REACSA
from freefloat.platforms.height_map import flat, synthetic
from freefloat.platforms.platform import Floor
from freefloat.platforms.track import Track
from freefloat.view.floor import _actuation, _spans, _track, draw_track

SIZE = (4.8, 9.0)  # [m]
T = np.linspace(0.0, 10.0, 1001)


class Run:
    """What the pictures read of a result."""

    def __init__(self, **signals: np.ndarray) -> None:
        self.signals = signals

    def time(self, name: str) -> np.ndarray:
        return T[: len(self.signals[name])]

    def __getitem__(self, name: str) -> np.ndarray:
        return self.signals[name]


def run(twin: bool = False) -> Any:
    pose = np.column_stack([0.1 * T, 0.2 * T, 0.05 * T])
    on = np.zeros((len(T), 8))
    on[:, 2] = np.clip(T - 1.0, 0.0, 0.5)
    on[:, 5] = np.clip(T - 3.0, 0.0, 1.0) + np.clip(T - 8.0, 0.0, 5.0)
    signals = {
        "reacsa.pose": pose,
        "thrusters.on_time": on,
        "wheel.tau_applied": np.sin(T)[:, None],
        "wheel.speed": 10.0 * np.cos(T)[:, None],
    }
    if twin:
        signals["twin.pose"] = -pose
    return Run(**signals)


def track(uneven: bool = True, twin: bool = False) -> Track:
    ground = Floor(SIZE, synthetic(1, SIZE) if uneven else flat(SIZE))
    poses = np.column_stack([0.1 * T, 0.2 * T + 0.003, 0.05 * T])
    return Track(("reacsa", "twin") if twin else ("reacsa",), REACSA.body, ground, T, poses)


def test_both_pictures_are_written_and_not_blank(tmp_path: Path) -> None:
    made = draw_track(run(twin=True), track(twin=True), tmp_path)
    assert [p.name for p in made] == ["track.png", "actuation.png"]
    for path in made:
        pixels = imread(path)[..., :3]
        assert min(pixels.shape[:2]) > 300
        assert np.mean(np.any(pixels < 0.95, axis=-1)) > 0.01, "something is drawn"
        assert len(np.unique((255.0 * pixels).astype(int) @ (65536, 256, 1))) > 20


def test_the_track_shows_run_and_reference_and_the_error_between_them() -> None:
    figure = _track(run(twin=True), track(twin=True))
    labels = {line.get_label() for ax in figure.axes for line in ax.lines}
    assert {"reacsa", "twin", "reference"} <= labels
    assert {"place [mm]", "angle [deg]"} <= {ax.get_ylabel() for ax in figure.axes}
    ground = figure.axes[0]
    assert ground.get_xlim() == (-2.4, 2.4)
    assert ground.get_ylim() == (-4.5, 4.5)
    assert len(ground.patches) == 4, "the outlines of both platforms where they end, and their x axes"
    assert ground.patches[0].get_center() == pytest.approx((1.0, 2.0))  # type: ignore[attr-defined]
    place = next(line for ax in figure.axes for line in ax.lines if ax.get_ylabel() == "place [mm]")
    assert np.asarray(place.get_ydata()) == pytest.approx(3.0, abs=1e-6)


def test_the_floors_heights_lie_under_the_track_the_right_way_round() -> None:
    figure = _track(run(), track())
    image = figure.axes[0].images[0]
    assert image.get_extent() == pytest.approx([-2.4, 2.4, -4.5, 4.5])
    shown = np.asarray(image.get_array())
    heights = synthetic(1, SIZE).heights
    assert image.origin == "lower"
    assert shown[3, 7] == pytest.approx(1e3 * heights[7, 3]), "rows are y"
    assert not _track(run(), track(uneven=False)).axes[0].images


def test_open_valves_are_bars_of_their_length() -> None:
    figure = _actuation(run())
    valves = figure.axes[0]
    bars: dict[int, Any] = {}
    for k, bar in enumerate(valves.collections):
        corners = [np.asarray(p.vertices)[:, 0] for p in bar.get_paths()]
        bars[k] = [(x.min(), x.max()) for x in corners]
    assert bars[0] == []
    assert bars[2] == [pytest.approx((1.0, 1.5), abs=0.011)]
    assert bars[5] == [pytest.approx((3.0, 4.0), abs=0.011), pytest.approx((8.0, 10.0), abs=0.011)]
    assert valves.get_title(loc="left") == "open valves, 3.5 s in all; at the right, of each"


def test_spans_are_the_stretches_where_something_holds() -> None:
    t = np.arange(8.0)
    on = np.array([1, 1, 0, 0, 1, 0, 1, 1], dtype=bool)
    assert _spans(t, on) == [(0.0, 2.0), (4.0, 1.0), (6.0, 1.0)]
    assert _spans(t, np.zeros(8, dtype=bool)) == []


def test_a_run_with_a_folder_draws_its_track_into_the_plots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from freefloat.api import execute
    from freefloat.scenario.files import load
    from freefloat.view import floor, plots

    class Still:
        def update(self, t: float, meas: Any) -> dict[str, Any]:
            return {"valves": np.zeros(8), "wheel": np.zeros(1), "estimate": np.zeros(6), "slope": np.zeros(3)}

    drawn: list[Any] = []
    monkeypatch.setattr(TrackerSetup, "_best", lambda self: Still())
    monkeypatch.setattr(ReacsaScenario, "plotted", lambda self: ())
    monkeypatch.setattr(plots, "plot_audit", lambda *args: None)
    monkeypatch.setattr(floor, "draw_track", lambda *args: drawn.append(args))
    execute(load("reacsa-stabilise", {"controller": "best", "duration": 0.3}), out=tmp_path)
    result, shown, folder = drawn[0]
    assert folder == tmp_path / "plots"
    assert shown.platforms == ("reacsa", "uncontrolled")
    assert {f"{name}.pose" for name in shown.platforms} <= set(result.signals)
    assert shown.ground.size == SIZE
