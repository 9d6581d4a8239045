"""The docking facility: whether it executes a trajectory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from freefloat.commands import DONE, FAILED, Json
from freefloat.errors import InputError, placed
from freefloat.terminal import print_table, say

if TYPE_CHECKING:
    from freefloat.facility.check import CheckReport, Extreme, Finding
    from freefloat.facility.trajectory import Trajectory

LONG = 20_000  # lines from which on a bar tells how far the check is
TrajectoryFile = Annotated[Path, typer.Argument(metavar="TRAJECTORY", help="A file of 23 columns, a line each 4 ms.")]
ToolFile = Annotated[
    Path | None, typer.Option("--tool", metavar="FILE", help="User tools, such as user_tool.val; none: of Fig. 24.")
]
Margin = Annotated[float, typer.Option(metavar="M", help="Distance in m that solids have to keep.")]
Bare = Annotated[bool, typer.Option("--bare", help="Nothing on the adapter plates: no mock-ups, no camera.")]


def facility_check(
    file: TrajectoryFile, tool: ToolFile = None, margin: Margin = 0.05, bare: Bare = False, as_json: Json = False
) -> None:
    """Reach, ranges, speeds, accelerations, singularities and clearance of a trajectory, before it moves metal."""
    from freefloat.facility.trajectory import read_trajectory

    trajectory = read_trajectory(file)
    try:
        report = _report(trajectory, tool, margin, bare)
    except InputError as error:
        raise placed(error, str(file)) if str(error).startswith("line ") else error from None
    if as_json:
        print(json.dumps(_data(file, trajectory, report), indent=2))
    else:
        _show(file, trajectory, report)
    raise typer.Exit(DONE if report.ok else FAILED)


def _report(trajectory: Trajectory, tool: Path | None, margin: float, bare: bool) -> CheckReport:
    import sys

    from freefloat.facility.check import check_trajectory
    from freefloat.facility.clearance import Clearance
    from freefloat.facility.kinematics import Kinematics
    from freefloat.facility.limits import Limits
    from freefloat.facility.part import START
    from freefloat.facility.solids import Mounted
    from freefloat.facility.user_tool import FIG24, read_user_tools
    from freefloat.terminal import count_bar

    kinematics = Kinematics(tools=read_user_tools(tool) if tool is not None else FIG24)
    clearance = Clearance(kinematics.geometry, Mounted.bare() if bare else Mounted(), margin=margin)
    with count_bar(len(trajectory) >= LONG and sys.stderr.isatty()) as progress:
        return check_trajectory(trajectory, Limits(kinematics), clearance, START, progress)


def _frames(trajectory: Trajectory) -> list[str]:
    from freefloat.facility.record import Frame

    return [Frame(int(f)).name for f in sorted(set(trajectory.frames.tolist()))]


def _show(file: Path, trajectory: Trajectory, report: CheckReport) -> None:
    say(*(f"warning: {file}:{finding.line}: {finding}" for finding in report.warnings))
    if report.extremes:
        print_table(("", "from", "to", "speed", "acceleration"), _table(report))
    if report.nearest is not None:
        print(f"smallest clearance: {report.nearest} in line {report.nearest_line}")
    for finding in report.findings:
        print(f"{file}:{finding.line}: {finding}")
    broken = len(report.findings)
    verdict = "ok" if report.ok else f"not executable: {broken} limit{'s' if broken > 1 else ''} broken"
    kinds = ", ".join(_frames(trajectory))
    print(f"{file}: {verdict} ({kinds}, {report.rows} lines, {report.duration:.6g} s)")


def _table(report: CheckReport) -> list[list[str]]:
    """A row for each axis and for each component of a tool, with the largest rates."""
    by_name = {e.name: e for e in report.extremes}
    rows: list[list[str]] = []
    for e in report.extremes:
        if e.kind in ("range", "tool range"):
            rates = [by_name.get(f"{e.name} {rate}") for rate in ("speed", "acceleration")]
            rows.append([e.name, _amount(e.least, e.unit), _amount(e.most, e.unit), *map(_largest, rates)])
        elif e.kind == "tool speed":
            rows.append([e.name, "", "", _largest(e), ""])
    return rows


def _largest(e: Extreme | None) -> str:
    return "" if e is None else _amount(max(abs(e.least), abs(e.most)), e.unit)


def _amount(value: float, unit: str) -> str:
    """Without what rounding leaves."""
    return f"{round(value, 6) + 0.0:.6g} {unit}"


def _data(file: Path, trajectory: Trajectory, report: CheckReport) -> dict[str, Any]:
    nearest = report.nearest
    return {
        "file": str(file),
        "ok": report.ok,
        "frames": _frames(trajectory),
        "lines": report.rows,
        "duration_s": report.duration,
        "findings": _listed(report.findings),
        "warnings": _listed(report.warnings),
        "clearance": None
        if nearest is None
        else {"distance_m": nearest.distance, "between": [nearest.a, nearest.b], "line": report.nearest_line},
        "extremes": {e.name: {"least": e.least, "most": e.most, "unit": e.unit} for e in report.extremes},
    }


def _listed(findings: tuple[Finding, ...]) -> list[dict[str, object]]:
    return [finding.data() for finding in findings]
