"""Plots carry names, units and limits, and refuse what they cannot draw."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from matplotlib.collections import LineCollection

from freefloat.engine.log.writer import LogWriter
from freefloat.engine.plot import plot_signals
from freefloat.engine.signals import Signal
from freefloat.errors import InputError
from freefloat.view.plots import plot_audit, plot_log

SIGNALS = {
    s.name: s
    for s in (
        Signal("arm.q", "rad", (3,), "", "joint angles"),
        Signal("bus.energy", "J", (), "", "kinetic energy"),
        Signal("bus.R", "-", (2, 2), "W", "rotation"),
    )
}
T = np.linspace(0.0, 2.0, 50)
FRAMES = {
    "plant": pl.DataFrame({"t": T, "arm.q": np.outer(T, [1.0, 2.0, 3.0])}),
    "slow": pl.DataFrame({"t": T[::5], "bus.energy": T[::5] ** 2, "bus.R": np.ones((10, 2, 2))}),
}


def test_each_signal_gets_a_panel_with_its_name_unit_and_components() -> None:
    figure = plot_signals(FRAMES, SIGNALS, ["arm.q", "bus.energy", "bus.R"])
    q, energy, R = figure.axes
    assert [ax.get_ylabel() for ax in figure.axes] == ["q [deg]", "energy [J]", "R [-]"]
    assert [len(ax.lines) for ax in figure.axes] == [3, 1, 4]
    assert R.get_xlabel() == "time [s]"
    assert R.get_title(loc="left") == "bus.R: rotation (frame W)"
    assert energy.get_legend() is None
    legend = q.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["[0]", "[1]", "[2]"]
    assert np.asarray(q.lines[2].get_ydata()) == pytest.approx(np.rad2deg(3.0 * T))


def test_one_component_can_be_chosen() -> None:
    (ax,) = plot_signals(FRAMES, SIGNALS, ["arm.q[1]"]).axes
    assert len(ax.lines) == 1
    assert np.asarray(ax.lines[0].get_ydata()) == pytest.approx(np.rad2deg(2.0 * T))
    assert ax.get_ylabel() == "q: [1] [deg]"


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["arm.p"], "unknown signal 'arm.p'. Did you mean 'arm.q'"),
        (["arm.q[3]"], "allowed: 0 to 2"),
        ([], "no signal to plot"),
        (["arm.q["], "unknown signal"),
    ],
)
def test_a_wrong_name_is_refused_with_the_allowed_ones(names: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message.replace("[", r"\[")):
        plot_signals(FRAMES, SIGNALS, names)


def test_an_unknown_file_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"'\.doc' is unknown; allowed: \.pdf, \.png, \.svg"):
        plot_signals(FRAMES, SIGNALS, ["arm.q"], tmp_path / "plot.doc")
    assert not list(tmp_path.iterdir())


def test_the_audit_shows_errors_and_limits_on_a_logarithmic_axis() -> None:
    figure = plot_audit(T, {"momentum": 1e-13 * T, "energy": -1e-8 * T}, {"momentum": 1e-10})
    (ax,) = figure.axes
    assert ax.get_yscale() == "log"
    momentum, energy = ax.lines
    assert np.all(np.asarray(momentum.get_ydata()) > 0.0)
    assert [text.get_text() for text in ax.texts] == ["limit 1e-10 of momentum"]
    assert np.max(np.asarray(energy.get_ydata())) == pytest.approx(2e-8)


def test_plots_can_be_drawn_in_threads(tmp_path: Path) -> None:
    files = [tmp_path / f"{i}.png" for i in range(4)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda f: plot_signals(FRAMES, SIGNALS, ["arm.q"], f), files))
    first, *others = (f.read_bytes() for f in files)
    assert first.startswith(b"\x89PNG")
    assert all(other == first for other in others)


def test_a_log_is_plotted_by_part_or_by_name(tmp_path: Path) -> None:
    path = tmp_path / "log.mcap"
    with LogWriter(path, {"plant": [SIGNALS["arm.q"], SIGNALS["bus.energy"]]}) as log:
        log.write("plant", T, np.outer(T, np.ones(4)))
    assert plot_log(path) == [tmp_path / "plots" / "arm.png", tmp_path / "plots" / "bus.png"]
    assert plot_log(path, ["arm.q[0]"]) == [tmp_path / "plot.png"]
    assert plot_log(path, ["arm.q"], tmp_path / "q.svg") == [tmp_path / "q.svg"]
    assert "<svg" in (tmp_path / "q.svg").read_text()


def _plotted(**columns: Any) -> Any:
    signals = {f"x.{name}": Signal(f"x.{name}", "N", np.shape(values)[1:]) for name, values in columns.items()}
    frame = pl.DataFrame({"t": T, **{f"x.{name}": values for name, values in columns.items()}})
    return plot_signals({"plant": frame}, signals, list(signals))


def test_a_panel_of_nothing_says_so() -> None:
    (ax,) = _plotted(force=np.zeros(50)).axes
    assert [text.get_text() for text in ax.texts] == ["zero in the whole run"]
    (ax,) = _plotted(force=np.full(50, 3.0)).axes
    assert not ax.texts


def test_lines_that_lie_on_each_other_are_all_seen() -> None:
    (ax,) = _plotted(force=np.column_stack([T, T, -T])).axes
    under, over, other = (line.get_linewidth() for line in ax.lines)
    assert under > over == other


def test_thrusters_have_a_row_each_with_their_names_and_the_full_height_told() -> None:
    (ax,) = _plotted(thrust=9.0 * (np.sin(np.outer(40.0 * T, [1.0, 1.3, 0.7])) > 0.5)).axes
    assert [label.get_text() for label in ax.get_yticklabels()] == ["[0]", "[1]", "[2]"]
    assert "a full row is 9 N" in ax.get_title(loc="left")
    assert np.floor(np.max([line.get_ydata() for line in ax.lines], axis=1)).tolist() == [0.0, 1.0, 2.0]


def test_what_settles_is_drawn_once_more_from_then_on() -> None:
    whole, later = _plotted(force=np.where(T < 0.3, 90.0, 0.01 * np.sin(9.0 * T))).axes
    assert "on, enlarged" in later.get_title(loc="left")
    assert np.ptp(later.get_ylim()) < 0.01 * np.ptp(whole.get_ylim())


def test_the_limits_of_the_audit_are_dashed() -> None:
    (ax,) = plot_audit(T, {"momentum": 1e-13 * T}, {"momentum": 1e-10}).axes
    (limit,) = (c for c in ax.collections if isinstance(c, LineCollection))  # the two edges of a patch would fill gaps
    ((_, pattern),) = limit.get_linestyle()
    assert pattern
