"""Layouts for Foxglove, fitted to a log: the scene with a camera, plots, events, and the scenario's fields.

Recipes are the files in `layouts/`: which logs they are for (`needs`), where the camera stands, what it follows, which
layers are hidden at first, and which signals each plot has, by patterns such as `*.q` or `*.pose[0]`. Names of topics
have the names of parts, so a layout is made for each log. The file is what Foxglove and Lichtblick import: panels by id
in `configById`, and their arrangement in `layout`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from freefloat.engine.log.codec import EVENTS, SCENARIO, identifier
from freefloat.engine.signals import Signal
from freefloat.errors import InputError, unknown_name

Json: TypeAlias = dict[str, Any]
KINDS = ("platform", "modular", "arm", "contact", "satellite", "general")  # the first that suits a log is its own
SCENES = ("/scene", "/scene/meshes", "/scene/floor", "/scene/paths", "/scene/contact")  # one for all worlds
MOVING = ("/scene/forces", "/scene/jets", "/scene/trails")  # one for each world
PLOTS, LINES = 6, 12  # panels, and lines of one, at most
ON_A_TAB = 3  # plots
AXES = 0.2  # [m] length of the axes of a named frame
AXES_AT_ONE = 0.2  # [m] length of axes whose `axisScale` is 1
TITLES = ("foxglovePanelTitle", "lichtblickPanelTitle")  # the one program's key and the other's
COLOURS = (
    "#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#76b7b2", "#b07aa1",
    "#edc948", "#9c755f", "#ff9da7", "#499894", "#86bcb6", "#79706e",
)  # fmt: skip


@cache
def recipe(kind: str) -> Json:
    """A packaged recipe."""
    if kind not in KINDS:
        raise unknown_name("layout", kind, KINDS)
    return json.loads((files("freefloat.engine.log") / "layouts" / f"{kind}.json").read_text(encoding="utf-8"))


def kind_of(signals: Sequence[str]) -> str:
    """The first recipe whose needs these signals meet."""
    return next(k for k in KINDS if all(any(fnmatchcase(s, n) for s in signals) for n in recipe(k)["needs"]))


def layout_of(groups: Mapping[str, Sequence[Signal]], plots: Sequence[str] = (), kind: str = "auto") -> Json:
    """A layout for a log of these groups; `plots` are signals that its scenario plots, beside those of the recipe."""
    names = [s.name for signals in groups.values() for s in signals]
    chosen = recipe(kind_of(names) if kind == "auto" else kind)
    panels: Json = {"3D!scene": _scene(groups, chosen), "RosOut!events": _events()}
    panels["Table!scenario"] = {**_titled("Scenario"), "topicPath": f"{SCENARIO}.fields"}
    drawn = _plots(groups, [*chosen["plots"], *({"title": p, "signals": {p: ""}} for p in plots)])
    panels |= {f"Plot!{n}": plot for n, plot in enumerate(drawn)}
    ids = [f"Plot!{n}" for n in range(len(drawn))]
    pages = [ids[n : n + ON_A_TAB] for n in range(0, len(ids), ON_A_TAB)]
    titles = ["Plots", "More plots"] if len(pages) > 1 else ["Plots"]
    tabs = [{"title": t, "layout": _column(page)} for t, page in zip(titles, pages, strict=False)]
    panels["Tab!views"] = {"activeTabIdx": 0, "tabs": [*tabs, {"title": "Scenario", "layout": "Table!scenario"}]}
    left = _split("column", "3D!scene", "RosOut!events", 78)
    return {
        "configById": panels,
        "globalVariables": {},
        "userNodes": {},
        "playbackConfig": {"speed": 1},
        "layout": _split("row", left, "Tab!views", 62),
    }


def _titled(title: str) -> Json:
    return dict.fromkeys(TITLES, title)


def _split(direction: str, first: Any, second: Any, share: float) -> Json:
    return {"direction": direction, "first": first, "second": second, "splitPercentage": share}


def _column(ids: Sequence[str]) -> Any:
    """Panels below each other, of one height."""
    if len(ids) == 1:
        return ids[0]
    return _split("column", ids[0], _column(ids[1:]), 100.0 / len(ids))


def _scene(groups: Mapping[str, Sequence[Signal]], chosen: Json) -> Json:
    plants = {g.removesuffix("plant").removesuffix("."): s for g, s in groups.items() if re.search(r"(^|\.)plant$", g)}
    topics = [*SCENES, *(f"{t}/{world}" if world else t for world in plants for t in MOVING)]
    names = {s.name for signals in plants.values() for s in signals}
    links = [n.removesuffix(".p_WB") for n in sorted(names) if n.endswith(".p_WB")]
    frames = [n.removesuffix(".p_WF") for n in sorted(names) if n.endswith(".p_WF")]
    free = [s.name.removesuffix(".v_WB") for own in plants.values() for s in own if s.name.endswith(".v_WB")]
    follow = free[0] if chosen["follow"] == "body" and free else "W"
    camera = {"perspective": True, "target": [0, 0, 0], "targetOffset": [0, 0, 0], "targetOrientation": [0, 0, 0, 1]}
    hidden = {f"frame:{n}": {"visible": False} for n in ("W", *(w for w in plants if w), *links)}
    return {
        **_titled("Scene"),
        "cameraState": {**camera, "fovy": 45, "near": 0.05, "far": 50000, **chosen["camera"]},
        "followMode": "follow-position" if follow != "W" else "follow-none",
        "followTf": follow,
        "scene": {
            "meshUpAxis": "z_up",
            "transforms": {
                "showLabel": True,
                "labelSize": 0.06,
                "axisSize": AXES,  # of Foxglove since its SDK describes layouts; the next is what came before
                "axisScale": AXES / AXES_AT_ONE,
                "enablePreloading": True,
            },
        },
        "transforms": {**hidden, **{f"frame:{n}": {"visible": True} for n in frames}},
        "topics": {t: {"visible": not t.startswith(tuple(chosen["hidden"]))} for t in topics},
        "layers": {},
        "publish": {},
        "imageMode": {},
    }


def _events() -> Json:
    return {**_titled("Events"), "topicToRender": EVENTS, "minLogLevel": 1, "searchTerms": []}


@dataclass(frozen=True)
class _Scalar:
    """One line of a plot."""

    path: str
    label: str
    unit: str


def _plots(groups: Mapping[str, Sequence[Signal]], wanted: Sequence[Json]) -> list[Json]:
    """Panels of the plots that have signals, each of one unit; what is in one already is not drawn again."""
    made: list[Json] = []
    used: set[str] = set()
    for plot in wanted:
        found = {line.path: line for pattern in plot["signals"] for line in _lines(groups, plot, pattern)}
        lines = [line for path, line in found.items() if path not in used]
        lines = [line for line in lines if line.unit == lines[0].unit][:LINES]
        if lines and len(made) < PLOTS:
            used |= {line.path for line in lines}
            made.append(_plot(plot["title"], lines))
    return made


def _lines(groups: Mapping[str, Sequence[Signal]], plot: Json, pattern: str) -> list[_Scalar]:
    """Scalars that a pattern names."""
    name, _, index = pattern.partition("[")
    found: list[_Scalar] = []
    for group, signals in groups.items():
        for s in signals:
            if fnmatchcase(s.name, name) and not any(fnmatchcase(s.name, w) for w in plot.get("without", ())):
                chosen = range(s.size) if not index else [int(index.rstrip("]"))]
                label = plot["signals"][pattern]
                found += [
                    _Scalar(message_path(group, s, k), f"{s.part} {label}" if label else _label(s, k), _unit(s, k))
                    for k in chosen
                    if k < s.size
                ]
    return found


def _unit(signal: Signal, k: int) -> str:
    """Of a scalar, where a signal says one for each, or one for each part of equal length."""
    units = [u.strip() for u in signal.unit.split(",")]
    return units[k * len(units) // signal.size] if signal.size % len(units) == 0 else signal.unit


def _label(signal: Signal, k: int) -> str:
    if signal.size == 1:
        return signal.name
    spatial = signal.shape == (3,) and signal.name.rpartition(".")[2][:2] in ("p_", "v_", "w_", "f_")
    return f"{signal.name} {'xyz'[k] if spatial else k}"


def message_path(group: str, signal: Signal, k: int) -> str:
    """How Foxglove names a scalar of a signal: `/plant/arm.q[0]`; a topic with a dot in its name is quoted."""
    part, dot, rest = signal.name.partition(".")
    topic = f"/{group}/{part}" if dot else f"/{group}"
    fields = [identifier(f) for f in (rest if dot else part).split(".")]
    quoted = topic if re.fullmatch(r"[A-Za-z0-9_/]+", topic) else json.dumps(topic)
    return f"{quoted}.{'.'.join(fields)}" + (f"[{k}]" if signal.shape else "")


def _plot(title: str, lines: Sequence[_Scalar]) -> Json:
    unit = lines[0].unit
    paths = [
        {
            "value": line.path,
            "label": line.label,
            "enabled": True,
            "color": COLOURS[n % len(COLOURS)],
            "timestampMethod": "receiveTime",
        }
        for n, line in enumerate(lines)
    ]
    told = "" if unit in ("", "-") else f" [{unit}]"
    return {
        **_titled(f"{title}{told}"),
        "paths": paths,
        "showLegend": True,
        "legendDisplay": "floating",
        "showPlotValuesInLegend": True,
        "showXAxisLabels": True,
        "showYAxisLabels": True,
        "yAxisLabel": unit,
        "isSynced": True,
        "xAxisVal": "timestamp",
    }


def write_layout(log: str | PathLike[str], out: str | PathLike[str] | None = None, kind: str = "auto") -> Path:
    """Write a layout for a log, `layout.json` beside it unless told otherwise; returns its path."""
    from freefloat.engine.log.reader import read_about, read_groups

    source = Path(log)
    source = source / "log.mcap" if source.is_dir() else source
    made = layout_of(read_groups(source), read_about(source).get("plots", "").split(), kind)
    path = Path(out) if out is not None else source.with_name("layout.json")
    save_layout(made, path)
    return path


def save_layout(layout: Json, path: Path) -> None:
    """Write a layout as a file."""
    try:
        path.write_text(json.dumps(layout, indent=2, allow_nan=False) + "\n", encoding="utf-8")
    except OSError as e:
        raise InputError(f"layout {path} cannot be written: {e.strerror}") from None
