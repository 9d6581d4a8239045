"""What is refused before any search: goals that cannot be, feet where none can stand."""

from __future__ import annotations

import numpy as np

from freefloat.gnc.planning.reconfiguration.problem import Contents, Indices, Problem
from freefloat.gnc.planning.reconfiguration.refusal import RefusedError
from freefloat.gnc.planning.reconfiguration.rules import Tables, beside_first_piece, powered, unpowered
from freefloat.gnc.planning.reconfiguration.tables import Setting, goal_content


def admit(problem: Problem, setting: Setting) -> None:
    """Refuse what is plainly wrong with a problem."""
    _enough(problem)
    _stands(problem, setting.tables, setting.start, "start", problem.start)
    _stands(problem, setting.tables, goal_content(setting.tables), "goal", problem.goal)
    for robot in range(len(problem.robots)):
        _foot(problem, setting, robot)
    if len(set(problem.robots)) < len(problem.robots):
        face = next(f for k, f in enumerate(problem.robots) if f in problem.robots[:k])
        told = f"two robots on {place_name(problem, face.place)}, side {side_name(problem, face.side)}"
        raise RefusedError("feet-on-one-face", f"{told}; allowed: one on a face", places=(face.place,))


def place_name(problem: Problem, place: int) -> str:
    """Its cell, as designs write it."""
    return str(tuple(problem.places.cells[place].tolist()))


def side_name(problem: Problem, side: int) -> str:
    return problem.places.side_names[side]


def _enough(problem: Problem) -> None:
    start, goal, kinds = problem.start, problem.goal, problem.kinds
    if problem.match == "identity":
        wanted = {int(i): int(t) for i, t in zip(goal.identity, goal.type, strict=True) if t > 0}
        there = {int(i): int(t) for i, t in zip(start.identity, start.type, strict=True) if t > 0}
        lacking = sorted(i for i, t in wanted.items() if there.get(i) != t)
        if lacking:
            told = ", ".join(f"{i} ({kinds.names[wanted[i]]})" for i in lacking)
            types = tuple(wanted[i] for i in lacking)
            raise RefusedError("lacking-type", f"the start lacks modules {told}", modules=tuple(lacking), types=types)
    short = np.bincount(goal.type, minlength=len(kinds.names)) - np.bincount(start.type, minlength=len(kinds.names))
    short[0] = 0
    types = tuple(np.flatnonzero(short > 0).tolist())
    if types:
        missing = tuple(int(short[k]) for k in types)
        told = ", ".join(f"{m} {kinds.names[k]}" for k, m in zip(types, missing, strict=True))
        raise RefusedError("lacking-type", f"the start lacks {told}", types=types, missing=missing)


def _stands(problem: Problem, t: Tables, content: Indices, which: str, contents: Contents) -> None:
    apart = np.flatnonzero(beside_first_piece(t, content))
    if apart.size:
        told = ", ".join(place_name(problem, p) for p in apart.tolist()[:8])
        raise RefusedError(
            "goal-in-pieces" if which == "goal" else "start-in-pieces",
            f"the {which} is in pieces: no closed interface joins {told} to the rest",
            places=tuple(apart.tolist()), modules=_identities(contents, apart),
        )  # fmt: skip
    dark = np.flatnonzero(unpowered(t, content))
    if dark.size and not (which == "start" and t.dark):
        told = ", ".join(
            f"{problem.kinds.names[contents.type[p]]} at {place_name(problem, p)}" for p in dark.tolist()[:8]
        )
        raise RefusedError(
            "goal-unpowered" if which == "goal" else "start-unpowered",
            f"the {which} leaves modules without a path to a source of power: {told}",
            places=tuple(dark.tolist()), modules=_identities(contents, dark),
        )  # fmt: skip


def _identities(contents: Contents, places: Indices) -> tuple[int, ...]:
    return tuple(contents.identity[places].tolist())


def _foot(problem: Problem, setting: Setting, robot: int) -> None:
    t, content, foot = setting.tables, setting.start, problem.robots[robot]
    where = f"robot {robot} stands on {place_name(problem, foot.place)}, side {side_name(problem, foot.side)}"
    module = int(problem.start.identity[foot.place])
    across = int(t.neighbours[foot.place, foot.side])
    if content[foot.place] == 0:
        raise RefusedError("foot-nowhere", f"{where}, where no module is", places=(foot.place,), robot=robot)
    at = {"places": (foot.place,), "modules": (module,), "robot": robot}
    if across >= 0 and content[across] > 0:
        other = int(problem.start.identity[across])
        raise RefusedError("foot-covered", f"{where}, a face that module {other} covers", **at)
    if not t.grip[t.shown[content[foot.place], foot.side]]:
        raise RefusedError("foot-without-interface", f"{where}, a face without an interface for it", **at)
    if not powered(t, content)[foot.place]:
        raise RefusedError("foot-unpowered", f"{where}, which has no path to a source of power", **at)
