"""Layouts: what Foxglove imports, with paths that lead to what the log holds."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from foxglove import layouts as sdk
from mcap.reader import make_reader

import freefloat as ff
from freefloat.engine.log.layout import KINDS, ON_A_TAB, PLOTS, kind_of, layout_of, message_path, recipe, write_layout
from freefloat.engine.log.reader import read_groups
from freefloat.engine.signals import Signal
from freefloat.errors import InputError

# classic panel types with the SDK's description of their settings; keys that only files have
CONFIGS: dict[str, tuple[type, set[str]]] = {
    "3D": (sdk.ThreeDeeConfig, {"imageMode"}),
    "Plot": (sdk.PlotConfig, set()),
    "RosOut": (sdk.LogConfig, set()),
    "Table": (sdk.TableConfig, set()),
}


TITLES = {"foxglovePanelTitle", "lichtblickPanelTitle"}


def _keys(config: type) -> set[str]:
    return {re.sub(r"_(.)", lambda m: m[1].upper(), f.name) for f in fields(config)}


def _leaves(node: Any) -> list[str]:
    """Panels of an arrangement; its form is checked on the way."""
    if isinstance(node, str):
        return [node]
    assert set(node) == {"direction", "first", "second", "splitPercentage"}
    assert node["direction"] in ("row", "column")
    assert 0.0 < node["splitPercentage"] < 100.0
    return [*_leaves(node["first"]), *_leaves(node["second"])]


def check(layout: dict[str, Any]) -> None:
    assert set(layout) == {"configById", "globalVariables", "userNodes", "playbackConfig", "layout"}
    panels = layout["configById"]
    shown = _leaves(layout["layout"])
    for name in list(shown):
        if name.startswith("Tab!"):
            shown += [leaf for tab in panels[name]["tabs"] for leaf in _leaves(tab["layout"])]
    assert sorted(shown) == sorted(panels), "every panel is shown once, and has settings"
    for name, config in panels.items():
        kind = name.partition("!")[0]
        if kind == "Tab":
            assert set(config) == {"activeTabIdx", "tabs"}
            continue
        described, more = CONFIGS[kind]
        assert set(config) <= _keys(described) | more | TITLES, name
        assert len({config[title] for title in TITLES}) == 1, "both programs show the same title"
    scene = panels["3D!scene"]
    assert set(scene["cameraState"]) <= _keys(sdk.ThreeDeeCameraState)
    assert set(scene["scene"]["transforms"]) <= _keys(sdk.BaseRendererTransforms) | {"axisScale"}
    for plot in (c for n, c in panels.items() if n.startswith("Plot!")):
        assert all(set(path) <= _keys(sdk.PlotSeries) for path in plot["paths"])
        assert len({path["color"] for path in plot["paths"]}) == len(plot["paths"])
        assert len({path["label"] for path in plot["paths"]}) == len(plot["paths"])


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory, bus_with_arm: Any) -> Path:
    path = tmp_path_factory.mktemp("layout") / "log.mcap"
    ff.Mission(bus_with_arm(), plots=["arm.qd"]).run(0.05, log=path)
    return path


def test_a_layout_has_the_form_that_foxglove_imports_for_every_recipe(log: Path) -> None:
    for kind in KINDS:
        layout = layout_of(read_groups(log), ["arm.qd"], kind)
        check(layout)
        assert len([n for n in layout["configById"] if n.startswith("Plot!")]) <= PLOTS


def test_every_line_of_a_plot_and_every_topic_is_in_the_log(log: Path) -> None:
    layout = json.loads(write_layout(log).read_text(encoding="utf-8"))
    groups = read_groups(log)
    known = {message_path(g, s, k) for g, own in groups.items() for s in own for k in range(s.size)}
    plots = {c["foxglovePanelTitle"]: c for n, c in layout["configById"].items() if n.startswith("Plot!")}
    assert {path["value"] for plot in plots.values() for path in plot["paths"]} <= known
    assert list(plots)[:3] == ["Joints [rad]", "Joint efforts [N m]", "Tool [m]"]
    assert "arm.qd [rad/s]" in plots, "what the mission plots is in the log, and in the layout"
    with log.open("rb") as f:
        topics = {c.topic for _, c, _ in make_reader(f).iter_messages()}
    scene = layout["configById"]["3D!scene"]
    assert {t for t in topics if t.startswith("/scene")} <= set(scene["topics"])
    assert scene["followTf"] == "bus"
    assert scene["transforms"]["frame:arm.tool"] == {"visible": True}
    assert scene["transforms"]["frame:arm.hand"] == {"visible": False}


def test_paths_are_spelled_as_the_topics_and_fields_are() -> None:
    assert message_path("plant", Signal("arm.q", "rad", (7,)), 3) == "/plant/arm.q[3]"
    assert message_path("plant", Signal("modules.b.state", "-"), 0) == "/plant/modules.b.state"
    assert message_path("lab.plant", Signal("arm.q", "rad", (1,)), 0) == '"/lab.plant/arm".q[0]'
    assert message_path("control", Signal("lonely", "s"), 0) == "/control.lonely"
    assert message_path("plant", Signal("arm.q-x", "rad"), 0) == "/plant/arm.q_x"


def test_the_recipe_follows_from_the_signals() -> None:
    assert kind_of(["reacsa.pose", "reacsa.floor", "arm.q", "arm.tau_applied"]) == "platform"
    assert kind_of(["stack.identity", "stack.orientation", "wm.q", "wm.tau_applied"]) == "modular"
    assert kind_of(["arm.q", "arm.tau_applied", "bus.w_WB_B"]) == "arm"
    assert kind_of(["touch.f_W", "bus.w_WB_B"]) == "contact"
    assert kind_of(["bus.w_WB_B"]) == "satellite"
    assert kind_of(["x.y"]) == "general"


def test_a_plot_has_one_unit_and_no_line_twice() -> None:
    groups = {
        "plant": [
            Signal("cart.pose", "m, m, rad", (3,)),
            Signal("cart.floor", "J", (1,)),
            Signal("cart.x", "m, N", (4,)),
        ]
    }
    panels = layout_of(groups, ["cart.pose", "cart.x"])["configById"]
    plots = {c["foxglovePanelTitle"]: [p["value"] for p in c["paths"]] for n, c in panels.items() if "Plot" in n}
    assert plots == {
        "Place [m]": ["/plant/cart.pose[0]", "/plant/cart.pose[1]"],
        "Heading [rad]": ["/plant/cart.pose[2]"],
        "cart.x [m]": ["/plant/cart.x[0]", "/plant/cart.x[1]"],
    }


def test_worlds_have_their_own_topics_and_many_plots_go_on_two_tabs() -> None:
    signals = [Signal(f"a.x{n}", "m") for n in range(9)]
    layout = layout_of({"left.plant": signals, "right.plant": []}, [s.name for s in signals])
    check(layout)
    topics = layout["configById"]["3D!scene"]["topics"]
    assert {"/scene/jets/left", "/scene/forces/right", "/scene/floor"} <= set(topics)
    tabs = layout["configById"]["Tab!views"]["tabs"]
    assert [tab["title"] for tab in tabs] == ["Plots", "More plots", "Scenario"]
    assert len(_leaves(tabs[0]["layout"])) == ON_A_TAB


def test_an_unknown_recipe_and_a_folder_without_a_log_are_clear_errors(log: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"armm.*arm"):
        write_layout(log, kind="armm")
    with pytest.raises(InputError, match=r"log\.mcap does not exist"):
        write_layout(tmp_path)
    with pytest.raises(InputError, match="cannot be written"):
        write_layout(log, tmp_path / "nowhere" / "x.json")


def test_recipes_are_packaged_with_all_that_is_asked_of_them() -> None:
    for kind in KINDS:
        assert set(recipe(kind)) == {"title", "needs", "camera", "follow", "hidden", "plots"}
    assert recipe(KINDS[-1])["needs"] == [], "the last suits every log"
