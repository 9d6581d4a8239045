"""`freefloat plan`: a table or JSON, a file and its sheet; an interrupt gives the best plan so far."""

from __future__ import annotations

import json
import math
import os
import signal
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from freefloat.cli import main
from freefloat.frames import Array
from freefloat.gnc.planning.reconfiguration.motions import Leg, Verdict
from freefloat.gnc.planning.reconfiguration.problem import Carry, Flags, Places, Stance
from freefloat.missions.modular import planning
from freefloat.missions.modular.design_pair import DesignPair, pair_of
from freefloat.missions.modular.plan_file import load_plan
from freefloat.structure.design.file import load_design

START = """kind: design
schema: 1
catalogue: mosar
grid: {size: [4, 1, 2]}
modules:
  - {id: 1, type: solar, cell: [0, 0, 0]}
  - {id: 2, type: bus, cell: [1, 0, 0]}
  - {id: 3, type: bus, cell: [2, 0, 0]}
  - {id: 4, type: payload, cell: [0, 0, 1]}
robots:
  - {name: wm, stands: {module: 2, side: +z}}
"""
GOAL = START.replace(
    "id: 4, type: payload, cell: [0, 0, 1]", "id: 9, type: payload, cell: [3, 0, 0], axes: {z: +x, y: +y}"
)


class Reaching:
    """A robot that gets wherever the distance between shoulder and wrist allows it."""

    quickest_transfer = 60.0

    def __init__(self, places: Places) -> None:
        self.side_at = places.side_at
        self.normals = np.array([X.R[:, 2] for X in places.X_PF])
        self.centres = np.array([[p + X.p for X in places.X_PF] for p in places.p_TP])
        self.away = cache(self._away)

    def _away(self, stance: Stance, place: int, side: int) -> float:
        faces = ((stance.place, stance.side), (place, side))
        ends = [self.centres[face] + 0.15 * self.normals[face[1]] for face in faces]
        distance = float(np.linalg.norm(ends[0] - ends[1]))
        return distance if 0.337 <= distance <= 1.3 else math.inf

    def least_step(self, stance: Stance, to: Stance) -> float:
        return 40.0 + 20.0 * self.away(stance, to.place, to.side)

    def least_transfer(self, stance: Stance, carry: Carry) -> float:
        arrives = int(self.side_at[carry.turn, carry.grip])
        ways = self.away(stance, carry.source, carry.grip) + self.away(stance, carry.target, arrives)
        return 60.0 + 20.0 * ways

    def leaves(self, occupied: Flags, place: int, side: int) -> bool:
        return True

    def step(self, occupied: Flags, stance: Stance, to: Stance, others: Sequence[Stance] = ()) -> Verdict:
        return Verdict(self.least_step(stance, to))

    def transfer(self, occupied: Flags, stance: Stance, carry: Carry, others: Sequence[Stance] = ()) -> Verdict:
        return Verdict(self.least_transfer(stance, carry))

    def home(self, occupied: Flags, stance: Stance, others: Sequence[Stance] = ()) -> Array | None:
        return np.zeros(7)

    def legs_of_step(
        self, occupied: Flags, stance: Stance, to: Stance, others: Sequence[Stance] = ()
    ) -> tuple[Leg, Leg]:
        raise NotImplementedError

    def legs_of_transfer(
        self, occupied: Flags, stance: Stance, carry: Carry, others: Sequence[Stance] = ()
    ) -> tuple[Leg, Leg, Leg]:
        raise NotImplementedError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, draw_roughly: Callable[[pytest.MonkeyPatch], None]) -> Path:
    monkeypatch.chdir(tmp_path)
    draw_roughly(monkeypatch)
    monkeypatch.setattr(planning, "motions_of", lambda pair: Reaching(pair.grid))
    Path("start.yaml").write_text(START, "utf-8")
    Path("goal.yaml").write_text(GOAL, "utf-8")
    return tmp_path


def freefloat(*arguments: str) -> int:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    return int(end.value.code or 0)


def test_a_plan_is_a_table_a_file_and_a_sheet(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert freefloat("plan", "start.yaml", "goal.yaml", "--out", "p.json") == 0
    told = capsys.readouterr().out
    assert "transfer   4       payload  0 0 1  3 0 0" in told
    assert "written to p.json and p.png" in told
    pair = pair_of(load_design("start.yaml"), load_design("goal.yaml"))
    assert load_plan("p.json", pair).transfers == 1
    assert Path("p.png").read_bytes().startswith(b"\x89PNG")


def test_json_prints_the_object_of_the_file_alone_and_twice_the_same_bytes(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = []
    for number in ("001", "002"):
        assert freefloat("plan", "start.yaml", "goal.yaml", "--json") == 0
        printed = capsys.readouterr()
        file = folder / "runs" / f"plan-start-goal-{number}" / "plan.json"
        texts.append(file.read_bytes())
        assert json.loads(printed.out) == json.loads(texts[-1])
        assert len(printed.out.splitlines()) == 1
    assert texts[0] == texts[1]


def test_an_optimal_plan_says_so(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert freefloat("plan", "start.yaml", "goal.yaml", "--optimal", "--out", "p.json") == 0
    assert "which is optimal" in capsys.readouterr().out


def test_an_interrupt_gives_the_best_plan_so_far_and_130_without_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = planning.plan_pair

    def interrupted(pair: DesignPair, motions: Reaching, mode: str, progress: Callable, stop: Callable) -> object:
        progress(math.inf, 0.0)  # from here on an interrupt is noted
        os.kill(os.getpid(), signal.SIGINT)
        assert stop()
        if with_plan:
            return whole(pair, motions)
        raise planning.NoPlanError("no plan yet", stopped=True)

    monkeypatch.setattr(planning, "plan_pair", interrupted)
    with_plan = True
    assert freefloat("plan", "start.yaml", "goal.yaml", "--out", "p.json") == 0
    assert "best plan so far" in capsys.readouterr().err
    with_plan = False
    assert freefloat("plan", "start.yaml", "goal.yaml") == 130
    assert capsys.readouterr().err.endswith("interrupted: there is no plan yet\n")
    assert not list(Path("runs").iterdir())
