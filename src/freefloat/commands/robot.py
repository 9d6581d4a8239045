"""The check of a robot's file: what was read of it as tables, what was noted or left out, and a picture."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from freefloat.errors import InputError
from freefloat.terminal import print_table, say

if TYPE_CHECKING:
    from freefloat.engine.graph import LinkGraph
    from freefloat.robots.reading import Unsupported


def is_robot(file: str) -> bool:
    """Whether a name is that of a robot's file."""
    return Path(file).suffix.lower() in (".urdf", ".xml")


def check_robot_file(
    file: str, unsupported: Unsupported, balance: bool, search: Sequence[Path], picture: Path | None, as_json: bool
) -> None:
    """Print what a robot's file says, draw it, and refuse one with problems, each on its line."""
    from freefloat.robots.shipped import load_robot
    from freefloat.robots.tables import robot_data, robot_tables

    graph = load_robot(file, unsupported, balance, search)
    drawing = _draw(graph, file, picture)
    if as_json:
        print(json.dumps({"file": file, "kind": "robot", "ok": True, "picture": drawing, **robot_data(graph)}))
        return
    for table in robot_tables(graph):
        print(f"{table.title}:")
        print_table(table.columns, table.rows)
        print()
    mass = sum(link.mass for link in graph.links)
    print(f"{len(graph.links)} links, {len(graph.moving)} joints that move, {mass:.6g} kg, root {graph.root}")
    _tell("left out", graph.skipped)
    _tell("notes", graph.notes)
    print(f"picture: {drawing or 'not written'}")
    print(f"{file}: ok (robot)")


def _tell(title: str, lines: Sequence[str]) -> None:
    if lines:
        print(f"{title}:", *(f"  {line}" for line in lines), sep="\n")


def _draw(graph: LinkGraph, file: str, picture: Path | None) -> str | None:
    """The file that was written; a default one that cannot be is a warning, and no foreign file is replaced."""
    from freefloat.view.configuration import is_configuration
    from freefloat.view.robot_picture import draw_robot

    target = picture or Path(f"{Path(file).stem}.png")
    if picture is None and target.exists() and not is_configuration(target):
        say(f"warning: {target} exists and is no drawing of ours; name another with --picture FILE")
        return None
    try:
        _, failed = draw_robot(graph, Path(file).name, target)
    except InputError as error:
        if picture is not None:
            raise InputError(f"--picture: {error}") from None
        say(f"warning: {error}")
        return None
    for mesh in failed[:3]:
        more = f" (and {len(failed) - 3} more)" if mesh == failed[min(2, len(failed) - 1)] and len(failed) > 3 else ""
        say(f"warning: mesh {mesh} cannot be drawn{more}")
    return str(target)
