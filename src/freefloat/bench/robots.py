"""How many robots of a folder load: URDF and MJCF files, by default and with `unsupported="skip"`.

A file counts if it describes a robot of at least two joints that move: *.urdf with the outermost element <robot>; *.xml
with <mujoco> that MuJoCo itself compiles. A robot is loaded when it was read, drawn as an `Arm`, compiled, and its
accelerations at the start are finite.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from freefloat.bench.case import Figure
from freefloat.errors import FreefloatError, InputError
from freefloat.robots.reading import Unsupported

LEAST_JOINTS = 2
MODES: tuple[Unsupported, Unsupported] = ("refuse", "skip")

Progress = Callable[[int, int], None]  # files done, files to do


@dataclass
class Tally:
    """What was found of one format."""

    files: int = 0
    loaded: dict[Unsupported, int] = field(default_factory=lambda: {"refuse": 0, "skip": 0})
    reasons: Counter[str] = field(default_factory=Counter)  # by which files are refused; a file counts once for each
    reasons_skip: Counter[str] = field(default_factory=Counter)
    passed: Counter[str] = field(default_factory=Counter)  # files that are not counted, by why
    crashes: list[str] = field(default_factory=list)


def figures(folder: Path, progress: Progress | None = None) -> Iterator[Figure]:
    """Counts and shares of all robots below a folder."""
    if not folder.is_dir():
        raise InputError(f"bench robots {folder}: no such folder; allowed: a folder with .urdf or .xml files")
    tallies = {"urdf": Tally(), "mjcf": Tally()}
    found = sorted(p for p in folder.rglob("*") if p.suffix.lower() in (".urdf", ".xml") and p.is_file())
    for i, path in enumerate(found):
        kind = "urdf" if path.suffix.lower() == ".urdf" else "mjcf"
        count(path, kind, tallies[kind])
        if progress is not None:
            progress(i + 1, len(found))
    for kind, tally in tallies.items():
        yield from _told(kind, tally)
    crashes = [crash for tally in tallies.values() for crash in tally.crashes]
    yield Figure("crashes", len(crashes), "; ".join(crashes[:5]) or "errors that are none of Freefloat's own")


def _told(kind: str, tally: Tally) -> Iterator[Figure]:
    n = max(tally.files, 1)
    yield Figure(f"{kind}_files", tally.files, f"robots with at least {LEAST_JOINTS} joints that move")
    for mode, end in zip(MODES, ("", "_skip"), strict=True):
        what = f"read, built and evaluated with unsupported={mode}"
        yield Figure(f"{kind}_loaded{end}", tally.loaded[mode], what)
        yield Figure(f"{kind}_share{end}", tally.loaded[mode] / n, f"of them, with unsupported={mode}")
    for name, counts in (("refused", tally.reasons), ("refused_skip", tally.reasons_skip), ("passed", tally.passed)):
        for reason, number in counts.most_common():
            yield Figure(f"{kind}_{name}: {reason}", number, "files" if name == "passed" else "files with this problem")


def count(path: Path, kind: str, tally: Tally) -> None:
    """Try one file."""
    why = _not_counted(path, kind)
    if why:
        tally.passed[why] += 1
        return
    tally.files += 1
    for mode, reasons in zip(MODES, (tally.reasons, tally.reasons_skip), strict=True):
        try:
            evaluate(path, mode)
        except FreefloatError as error:
            reasons.update({reason_of(line) for line in str(error).splitlines() if not line.startswith("... and ")})
        except Exception as error:  # a crash is what is counted
            tally.crashes.append(f"{path} ({mode}): {type(error).__name__}: {error}"[:300])
            reasons["crash"] += 1
        else:
            tally.loaded[mode] += 1
            if mode == "refuse":  # what loads whole loads in parts
                tally.loaded["skip"] += 1
                return


def evaluate(path: Path, unsupported: Unsupported) -> None:
    """Read a robot, build its world and take one step."""
    from freefloat.engine.mission import Mission
    from freefloat.robots.arm import Arm
    from freefloat.robots.shipped import load_robot

    session = Mission([Arm("robot", load_robot(path, unsupported))]).session()
    session.step(1e-3)
    for name in ("robot.q", "robot.qd", "robot.qdd"):
        if not np.isfinite(session.read(name)).all():
            raise FreefloatError(f"{path}: {name} is not finite after a step")


def reason_of(line: str) -> str:
    """A problem without its place and its values: what files have in common."""
    text = re.sub(r"^[^<]*?(:\d+)?: ", "", line, count=1)
    text = re.sub(r"^<\w+[^>]*>(/\w+)*: ", "", text, count=1)
    text = re.split(r"; allowed|; or leave| is not supported:| Did you mean| Allowed| \(", text)[0]
    text = re.sub(r"'[^']*'|\"[^\"]*\"", "...", text)
    return re.sub(r"[-+]?\d[\d.]*(e[-+]?\d+)?%?", "#", text).strip()[:100]


def _not_counted(path: Path, kind: str) -> str:
    """Why a file is no robot of the bench; "" where it is one."""
    try:
        data = path.read_bytes()
    except OSError:
        return "cannot be read"
    if kind == "mjcf":
        return _no_mjcf_robot(path, data)
    try:
        robot = ElementTree.fromstring(data.strip().rstrip(b"\0"))
    except (ElementTree.ParseError, LookupError, ValueError):  # an unknown encoding is a LookupError
        return ""  # ours to refuse
    if robot.tag != "robot":
        return "outermost element is not <robot>"
    moving = sum(joint.get("type") != "fixed" for joint in robot.findall("joint"))
    return "" if moving >= LEAST_JOINTS else f"fewer than {LEAST_JOINTS} joints"


def _no_mjcf_robot(path: Path, data: bytes) -> str:
    import mujoco

    mj: Any = mujoco
    first = re.search(rb"<([A-Za-z][\w:-]*)", re.sub(rb"<!--.*?-->", b"", data, flags=re.S))
    if first is None or first[1] != b"mujoco":
        return "outermost element is not <mujoco>"
    try:
        model = mj.MjModel.from_xml_path(str(path))
    except (ValueError, mj.FatalError):
        return "MuJoCo refuses it, as it does files that others include"
    moving = int(np.sum(model.jnt_type != mj.mjtJoint.mjJNT_FREE))
    return "" if moving >= LEAST_JOINTS else f"fewer than {LEAST_JOINTS} joints"
