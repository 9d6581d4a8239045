from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from freefloat.engine.graph import Coupling, LinkGraph
from freefloat.geometry.shape import Shape
from freefloat.robots import load_robot
from freefloat.view.robot_picture import BALL, COLOURS, draw_robot, drawable


@pytest.fixture
def graph(monkeypatch: pytest.MonkeyPatch) -> LinkGraph:
    monkeypatch.setattr("freefloat.view.robot_picture.WIDE", 160)
    monkeypatch.setattr("freefloat.view.robot_picture.HIGH", 160)
    return load_robot("planar_two_link")


def test_every_joint_is_numbered_in_the_picture_and_named_beside_it(graph: LinkGraph, tmp_path: Path) -> None:
    first, second = (j.name for j in graph.moving)
    led = replace(graph, couplings=(Coupling(second, first, (0.0, 1.0, 0.0, 0.0, 0.0)),))
    figure, failed = draw_robot(led, "two links", tmp_path / "two.png")
    picture, legend = figure.axes
    texts = {t.get_text(): t.get_color() for t in (*picture.texts, *legend.texts)}
    assert (texts["1"], texts["2"]) == (COLOURS["revolute"], COLOURS["led"])
    assert texts[f"1  {first}"] == COLOURS["revolute"]
    assert texts[f"2  {second}"] == COLOURS["led"]
    assert (failed, (tmp_path / "two.png").stat().st_size > 3000) == ([], True)
    image = np.asarray(picture.images[0].get_array())
    assert (image.min(axis=2) < 200).mean() > 0.02  # something is seen


def test_meshes_that_cannot_be_read_give_way_to_what_touches_and_then_to_balls(
    graph: LinkGraph, tmp_path: Path
) -> None:
    lost = (Shape("mesh", (1.0, 1.0, 1.0), mesh=str(tmp_path / "lost.stl")),)
    box = (Shape("box", (0.1, 0.1, 0.1)),)
    links = tuple(replace(link, shapes=lost, touching=box) for link in graph.links)
    shapes, failed = drawable(replace(graph, links=links))
    assert (shapes["base"], failed) == (list(box), [str(tmp_path / "lost.stl")])
    shapes, _ = drawable(replace(graph, links=tuple(replace(k, shapes=lost, touching=()) for k in graph.links)))
    assert {s.name for found in shapes.values() for s in found} == {BALL}
    assert shapes["base"][0].size[0] > shapes["link1"][0].size[0]
