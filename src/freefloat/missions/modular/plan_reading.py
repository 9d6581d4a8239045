"""What a plan file says, held against the designs it is for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from freefloat.gnc.planning.reconfiguration.problem import Carry, Operation, Plan, Stance
from freefloat.missions.modular.design_pair import DesignPair
from freefloat.missions.modular.plan_replay import Replay, turn_between
from freefloat.missions.modular.plan_settings import PlanSettings, StepSettings, TransferSettings
from freefloat.scenario.problems import Misfit, Problem, ScenarioError, dotted, listed, short, suggest
from freefloat.scenario.yamltext import Document

FieldPath = tuple[str | int, ...]


def error_of(document: Document, found: Sequence[Misfit]) -> ScenarioError:
    """All problems, in the order of their places."""
    ordered = sorted(found, key=lambda f: document.mark(f.path, f.at))
    return ScenarioError([Problem(document.place(f.path, f.at), dotted(f.path), f.message) for f in ordered])


class PlanReader:
    """Checks between fields, then the operations one by one; the plan of what passes."""

    def __init__(self, document: Document, settings: PlanSettings, pair: DesignPair) -> None:
        self.document, self.settings, self.pair = document, settings, pair
        self.replay = Replay(pair.problem)
        self.names = [robot.name for robot in pair.robots]
        self.problems: list[Misfit] = []

    def plan(self) -> Plan:
        self.robots()
        self.totals()
        for i in range(len(self.settings.operations)):
            self.references(i)
        self.refuse()
        operations = tuple(self.operation(i) for i in range(len(self.settings.operations)))
        self.arrived()
        s = self.settings
        return Plan(operations, s.cost_s, s.bound_s, s.transfers_bound, s.motion_checks, 0)

    def refuse(self) -> None:
        if self.problems:
            raise error_of(self.document, self.problems)

    def misfit(self, path: FieldPath, message: str) -> None:
        self.problems.append(Misfit(path, message))

    def robots(self) -> None:
        """They are those of the start, where they stand there."""
        given = self.settings.robots
        if len(given) != len(self.names):
            self.misfit(("robots",), f"{len(given)} robots; allowed: {len(self.names)}, {listed(self.names)}")
        for i, (robot, stance) in enumerate(zip(given, self.pair.problem.robots, strict=False)):
            if robot.name != self.names[i]:
                self.unknown(("robots", i, "name"), "robot", robot.name, self.names[i : i + 1])
            module, side = int(self.replay.identity[stance.place]), self.pair.grid.side_names[stance.side]
            if robot.stands.module != module:
                told = f"module {robot.stands.module}; allowed: {module}, where it stands in the start"
                self.misfit(("robots", i, "stands", "module"), told)
            if robot.stands.side != side:
                told = f"side {short(robot.stands.side)}; allowed: {side}, where it stands in the start"
                self.misfit(("robots", i, "stands", "side"), told)

    def totals(self) -> None:
        """Counts are those of the operations."""
        s = self.settings
        for name, kind in (("transfers", "transfer"), ("steps", "step")):
            counted, told = sum(o.kind == kind for o in s.operations), getattr(s, name)
            if counted != told:
                self.misfit((name,), f"{told}; allowed: {counted}, as there are among the operations")
        if s.bound_s > s.cost_s:
            self.misfit(("bound_s",), f"{s.bound_s:g} s; allowed: at most cost_s, {s.cost_s:g} s")
        if s.transfers_bound > s.transfers:
            self.misfit(("transfers_bound",), f"{s.transfers_bound}; allowed: at most transfers, {s.transfers}")

    def references(self, i: int) -> None:
        """Numbers, names, sides and cells that exist."""
        given, here = self.settings.operations[i], ("operations", i)
        if given.n != i + 1:
            self.misfit((*here, "n"), f"{given.n}; allowed: {i + 1}, counted in the order of the file")
        if given.robot not in self.names:
            self.unknown((*here, "robot"), "robot", given.robot, self.names)
        for k, before in enumerate(given.after):
            if before > i:
                allowed = f"1 to {i}" if i else "none before the first"
                self.misfit((*here, "after", k), f"{before} is no earlier operation; allowed: {allowed}")
        side = "side" if isinstance(given, StepSettings) else "grip"
        if getattr(given, side) not in (sides := self.pair.grid.side_names):
            self.unknown((*here, side), "side", getattr(given, side), sides)
        for name, cell in (("from", given.source), ("to", given.to)):
            if tuple(cell) not in self.places:
                self.misfit((*here, name), f"cell {_cell(cell)} is in neither design's grid; allowed: {self.cells}")
        turns = len(self.pair.grid.R_PM)
        if isinstance(given, TransferSettings) and given.orientation >= turns:
            told = f"{given.orientation} is out of range; allowed: 0 to {turns - 1} on a {self.pair.grid.kind} grid"
            self.misfit((*here, "orientation"), told)
        if self.replay.place_of(given.module) is None:
            known = sorted(self.replay.identity[self.replay.type > 0].tolist())
            told = f"there is no module {given.module}; allowed: {listed(list(map(str, known)))}"
            self.misfit((*here, "module"), told)

    def unknown(self, path: FieldPath, what: str, name: str, valid: Sequence[str]) -> None:
        self.misfit(path, f"unknown {what} {short(name)}; {suggest(name, valid)}allowed: {listed(list(valid))}")

    @cached_property
    def places(self) -> dict[tuple[int, ...], int]:
        return {tuple(cell): place for place, cell in enumerate(self.pair.grid.cells.tolist())}

    @property
    def cells(self) -> str:
        if self.pair.grid.kind == "cubic":
            return f"(0, 0, 0) to {_cell(np.array(self.pair.grid.size) - 1)}"
        return f"its {self.pair.grid.n} cells"

    def operation(self, i: int) -> Operation:
        """The operation, done on paper."""
        given = self.settings.operations[i]
        robot = self.names.index(given.robot)
        stance, place = self.replay.feet[robot], self.replay.place_of(given.module)
        assert place is not None
        if isinstance(given, StepSettings):
            operation = self.step(i, given, robot, stance, place)
        else:
            operation = self.transfer(i, given, robot, stance, place)
        misstep = self.replay.do(operation)
        if misstep is not None:
            field = "side" if misstep.field == "grip" and operation.to is not None else misstep.field
            self.misfit(("operations", i, field), f"operation {given.n} cannot be done: {misstep.message}")
            self.refuse()
        return operation

    def step(self, i: int, given: StepSettings, robot: int, stance: Stance, place: int) -> Operation:
        self.same_cell(i, "from", given.source, stance.place, f"robot {given.robot} stands in")
        self.same_cell(i, "to", given.to, place, f"module {given.module} is in")
        self.refuse()
        to = Stance(place, self.pair.grid.side_names.index(given.side))
        return Operation(given.n, robot, stance, to, None, given.module, given.after)

    def transfer(self, i: int, given: TransferSettings, robot: int, stance: Stance, place: int) -> Operation:
        self.same_cell(i, "from", given.source, place, f"module {given.module} is in")
        self.refuse()
        turn = turn_between(self.pair.problem, int(self.replay.orientation[place]), given.orientation)
        target, grip = self.places[tuple(given.to)], self.pair.grid.side_names.index(given.grip)
        return Operation(given.n, robot, stance, None, Carry(place, target, grip, turn), given.module, given.after)

    def same_cell(self, i: int, field: str, cell: tuple[int, ...], place: int, told: str) -> None:
        found = self.pair.grid.cells[place].tolist()
        if list(cell) != found:
            self.misfit(("operations", i, field), f"cell {_cell(cell)}; allowed: {_cell(found)}, which {told} then")

    def arrived(self) -> None:
        """The last operation leaves the goal."""
        wrong = self.replay.wrong()
        if wrong:
            place, goal, kinds = wrong[0], self.pair.problem.goal, self.pair.problem.kinds
            wanted = f"a {kinds.names[goal.type[place]]} in orientation {goal.orientation[place]}"
            more = f", and {len(wrong) - 1} cells more" if len(wrong) > 1 else ""
            left = self.replay.label(place) + (" empty" if self.replay.type[place] == 0 else "")
            told = f"the last operation leaves {left}; allowed: {wanted}, as in the goal{more}"
            self.misfit(("operations",), told)
        self.refuse()


def _cell(cell: Sequence[int] | np.ndarray) -> str:
    return f"({', '.join(str(int(c)) for c in cell)})"
