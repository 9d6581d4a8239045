"""Pictures that a reviewed run leaves in its folder: the work over time, and what was where."""

from __future__ import annotations

from pathlib import Path

from freefloat.engine.mission import Writer
from freefloat.engine.result import Result
from freefloat.missions.modular.review.subject import Subject

PICTURES = 12  # on a sheet, at most


def mission_pictures(subject: Subject) -> Writer:
    """`plots/timeline.png`, and sheets of the contents by type, temperature and power."""
    robots = {robot.name: {hand.name: hand.tool for hand in robot.hands} for robot in subject.robots}

    def write(result: Result, out: Path) -> None:
        from freefloat.view.rebuilding import draw_rebuilding  # heavy, and only needed here
        from freefloat.view.timeline import draw_timeline

        draw_timeline(result, robots, subject.structure, out / "plots" / "timeline.png", subject.assembly)
        draw_rebuilding(result, subject.bodies, out / "plots", ("type", "temperature", "power"), PICTURES)

    return write
