"""Flies a plan of operations: each begins where telemetry allows it, is looked at while it goes on, and is recovered
from when it fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from freefloat.errors import FreefloatError
from freefloat.frames import Array
from freefloat.gnc.control.executive.belief import Modules, carried, own_side, same
from freefloat.gnc.control.executive.course import OTHER, Course, course_of, from_a
from freefloat.gnc.control.executive.job import Agenda, Planning, pinned, reached, with_more
from freefloat.gnc.control.executive.onboard_models import ModelKeeper
from freefloat.gnc.control.executive.power import dark, dead
from freefloat.gnc.control.executive.remedies import Remedy, Scene, remedy
from freefloat.gnc.control.executive.robot import Robot
from freefloat.gnc.control.executive.steps import Ask, Follow
from freefloat.gnc.control.executive.sweep import Sweep, distance
from freefloat.gnc.control.executive.telemetry import Report, read_report
from freefloat.gnc.control.executive.trouble import Trouble
from freefloat.gnc.planning.reconfiguration.problem import Contents, Excluded, Operation, Plan, Stance
from freefloat.hand_words import HandState

PERIOD = 0.1  # [s] between updates
REPLANS = 6  # plans that are made before it gives up
APART = 0.06  # [m] that robots and what they carry keep from one another
WINDOW = 4.0  # [s] by which an operation may be ahead of the time that was foreseen for it, or behind
PATIENCE = 2.0  # [s] between looks whether another robot is out of the way
HOME = 5e-3  # [rad] by which a robot at rest may miss where its next motion begins
ATTENTION = 0.5  # [s] in which what modules report must settle before it is judged


@dataclass(eq=False)
class Attempt:
    """An operation under way."""

    operation: Operation
    course: Course
    attempts: dict[str, int] = field(default_factory=dict)  # by kind of trouble and step
    pending: Remedy | None = None  # whose undoing goes on
    trouble: Trouble | None = None
    began: float = 0.0  # [s]
    sweep: Sweep | None = None  # where there are several robots
    paused: bool = False  # while another one recovers


class Executive:
    """A task. Reads what `read_report` takes; returns `HAND.order` of every hand, `progress` (operations done, 1 when
    all are, 1 after a safe stop), `counts` (transfers, steps, recoveries, plans made anew), and `told`: events with
    cause and remedy.

    It leads the joint controllers of its robots, tasks of their own that are declared after it.
    """

    period = PERIOD

    def __init__(self, planning: Planning, plan: Plan, robots: Sequence[Robot], modules: Modules, keeper: ModelKeeper):
        self.planning, self.robots, self.modules, self.keeper = planning, tuple(robots), modules, keeper
        self.agenda = Agenda(plan.operations)
        self.excluded: Excluded = planning.problem.excluded
        self.attempts: dict[int, Attempt] = {}  # by robot
        self.expected: Contents = planning.problem.start
        self.transfers, self.steps, self.recoveries, self.replans = 0, 0, 0, 0
        self.finished, self.stopped = False, ""
        self._wants_plan = ""  # why
        self._told: list[tuple[str, str]] = []
        self._waits: dict[int, float] = {}  # robot -> [s] when it looks again whether others are out of its way
        self._hands = tuple(hand for robot in self.robots for hand in robot.hands.values())
        self._names = tuple(robot.name for robot in self.robots)

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, object]:
        """Orders for the next period; the joints' references go to their controllers."""
        report = read_report(meas, self._hands, self._names)
        self.keeper.keep(report, self.robots, self.modules)
        if not self.finished and not self.stopped and t >= ATTENTION:
            self._work(t, report)
            self.keeper.keep(report, self.robots, self.modules)  # some may stand elsewhere now
        orders = {f"{h}.order": np.array([float(o)]) for r in self.robots for h, o in r.orders.items()}
        progress = np.array([float(self.transfers + self.steps), float(self.finished), float(bool(self.stopped))])
        counts = np.array([self.transfers, self.steps, self.recoveries, self.replans], np.float64)
        told, self._told = tuple(self._told), []
        return {"progress": progress, "counts": counts, "told": told, **orders}

    def _work(self, t: float, report: Report) -> None:
        contents = self.modules.contents(report.identity, report.orientation)
        for number, robot in enumerate(self.robots):
            if number in self.attempts and self.attempts[number].paused:
                continue
            trouble = robot.go(t, report)
            if trouble is not None:
                self._recover(number, trouble, t, report, contents)
                robot.go(t, report)
            if robot.idle and number in self.attempts:
                self._conclude(number, contents)
        if not self.attempts and not self.stopped and all(robot.idle for robot in self.robots):
            self._take_stock(report, contents)
        if not self._wants_plan and not self.stopped:
            for number, robot in enumerate(self.robots):
                if robot.idle and all(r.idle or k in self.attempts for k, r in enumerate(self.robots)):
                    self._dispatch(number, t, report, contents)

    def _take_stock(self, report: Report, contents: Contents) -> None:
        """All robots rest: look at contents and power, and plan again where that is asked for."""
        if not same(contents, self.expected) and not self._wants_plan:
            self._wants_plan = _difference(self.expected, contents)
        problem = self.planning.problem
        lacking = [i for i in dark(problem.kinds, contents, report.powered) if i not in self.excluded.dead]
        if lacking:
            culprits = dead(problem.places, problem.kinds, contents, report.powered)
            new = [i for i in culprits if i not in self.excluded.dead]
            if new:
                self.excluded = with_more(self.excluded, dead=new)
                self._wants_plan = f"module {new[0]} passes no power"
            elif not culprits:
                sources = contents.identity[problem.kinds.feeds[contents.type]].tolist()
                self._stop(f"no module has power: source {', '.join(map(str, sources))} gives none")
                return
        if self._wants_plan:
            self._plan_again(report, contents)
        elif self.agenda.finished:
            self._finish(contents)

    def _finish(self, contents: Contents) -> None:
        problem = self.planning.problem
        if reached(problem.goal, contents, problem.match):
            self.finished = True
            self._tell("plan.done", f"{self.transfers} transfers and {self.steps} steps: the goal is reached")
        else:
            self._wants_plan = "the plan has ended, and the goal is not reached"

    def _plan_again(self, report: Report, contents: Contents) -> None:
        why, self._wants_plan = self._wants_plan, ""
        if self.planning.replan is None or self.replans >= REPLANS:
            return self._stop(f"{why}; {self.replans} plans were made, no more")
        stuck = pinned(self.planning.problem, contents, self.excluded)
        if stuck:
            return self._stop(stuck)
        self.replans += 1
        try:
            plan = self.planning.plan(contents, [robot.stance for robot in self.robots], self.excluded)
        except FreefloatError as error:
            return self._stop(f"{why}, and no plan was found without it: {' '.join(str(error).split())}")
        self.agenda, self.expected = Agenda(plan.operations), contents
        self._tell("plan.again", f"{why}; new plan of {plan.transfers} transfers and {plan.steps} steps")
        if self.agenda.finished:
            self._finish(contents)
        return None

    def _dispatch(self, number: int, t: float, report: Report, contents: Contents) -> None:
        """Begin a robot's next operation where telemetry allows it."""
        operation = self.agenda.next_for(number)
        if operation is None or t < self._waits.get(number, 0.0):
            return
        robot = self.robots[number]
        unfit = self._unfit(operation, robot, report, contents)
        if unfit:
            self._wants_plan = f"operation {operation.n}: {unfit}"
            return
        others = [self._stands(k) for k in range(len(self.robots)) if k != number]
        try:
            legs = self.planning.legs(operation, self.expected, others)
        except FreefloatError as error:
            self._wants_plan = f"operation {operation.n}: no motion: {error}"
            return
        course = course_of(operation, robot.stands, legs)
        if course.misses(report.q[robot.name]) > HOME:
            self._bring_home(number, t, report)
            return
        attempt = Attempt(operation, course, began=t)
        if len(self.robots) > 1:
            attempt.sweep = self.planning.sweep(course, robot.stance)
            if not self._clear(attempt, t):
                self._waits[number] = t + PATIENCE
                return
        self.attempts[number] = attempt
        self.agenda.under_way[number] = operation.n
        robot.begin(course.steps)
        robot.go(t, report)

    def _bring_home(self, number: int, t: float, report: Report) -> None:
        """A robot rests elsewhere than where its next motion begins: it goes there alone."""
        if self.attempts:
            return
        robot = self.robots[number]
        q = report.q[robot.name]
        others = [self._stands(k) for k in range(len(self.robots)) if k != number]
        leg = self.planning.way_home(self.expected, robot.stance, q if robot.stands == "a" else q[::-1], others)
        if leg is None:
            self._stop(f"{robot.name} is not where its next motion begins, and no way there keeps clear")
            return
        robot.begin((Follow("go home", from_a(leg, robot.stands)),))
        robot.go(t, report)

    def _stands(self, number: int) -> Stance:
        """Where a robot stands, before a step that is under way."""
        attempt = self.attempts.get(number)
        return self.robots[number].stance if attempt is None else attempt.operation.stance

    def _clear(self, attempt: Attempt, t: float) -> bool:
        """Whether an operation that begins at t [s] keeps clear of all that are under way."""
        assert attempt.sweep is not None
        for other in self.attempts.values():
            assert other.sweep is not None
            if distance(attempt.sweep, other.sweep, t - other.began, WINDOW) < APART:
                return False
        return True

    def _unfit(self, o: Operation, robot: Robot, report: Report, contents: Contents) -> str:
        """Why an operation cannot begin as telemetry has it; empty where it can."""
        foot, free = (report.hands[robot.hands[e]] for e in (robot.stands, OTHER[robot.stands]))
        stands_on = int(contents.identity[o.stance.place])
        if o.stance != robot.stance or foot.state is not HandState.CLOSED or foot.module != stands_on:
            return f"{robot.name} does not stand on module {stands_on}"
        if free.state is not HandState.OPEN:
            return f"the free hand of {robot.name} is {free.state.name.lower()}"
        place = o.carry.source if o.carry is not None else o.to.place if o.to is not None else -1
        if contents.identity[place] != o.module:
            return f"module {o.module} is not at its place"
        if o.carry is not None and o.carry.target != place and contents.type[o.carry.target] > 0:
            return f"the goal of module {o.module} is taken by module {contents.identity[o.carry.target]}"
        return ""

    def _conclude(self, number: int, contents: Contents) -> None:
        """A robot has done its steps: the operation's, or what undid it."""
        attempt = self.attempts.pop(number)
        del self.agenda.under_way[number]
        for other in self.attempts.values():
            other.paused = False
        pending = attempt.pending
        if pending is not None and pending.replan:
            assert attempt.trouble is not None
            self._leave_out(pending.leave_out, attempt, contents)
            self._wants_plan, self.expected = attempt.trouble.cause, contents
            return
        o = attempt.operation
        self.agenda.done.add(o.n)
        self.steps += o.carry is None
        self.transfers += o.carry is not None
        if o.carry is not None:
            self.expected = carried(self.planning.problem.places, self.expected, o.carry)

    def _leave_out(self, what: str, attempt: Attempt, contents: Contents) -> None:
        trouble, o = attempt.trouble, attempt.operation
        assert trouble is not None
        if what == "opens":
            self.excluded = with_more(self.excluded, opens=[o.module])
        elif what == "face":
            self.excluded = with_more(self.excluded, faces=[self._face(attempt, contents)])

    def _face(self, attempt: Attempt, contents: Contents) -> tuple[int, int]:
        """Module and own side of the face that failed: what the hand told, else what it was to grip or stand on."""
        o, trouble, places = attempt.operation, attempt.trouble, self.planning.problem.places
        assert trouble is not None
        place, side = trouble.face
        if o.carry is not None and place == o.carry.target and contents.type[place] == 0:
            place, side = int(places.neighbours[place, side]), int(places.facing[side])  # what it was to close on
        if place < 0 or contents.type[place] == 0:
            place, side = (o.carry.source, o.carry.grip) if o.carry is not None else (o.to.place, o.to.side)  # pyright: ignore[reportOptionalMemberAccess]
        return int(contents.identity[place]), own_side(places, int(contents.orientation[place]), side)

    def _recover(self, number: int, trouble: Trouble, t: float, report: Report, contents: Contents) -> None:
        """The next means against trouble, with its cause told."""
        robot = self.robots[number]
        if trouble.kind == "joint" or number not in self.attempts:
            robot.halt(t)
            self._stop(f"{trouble.cause}; no motions are known without it")
            self._halt_all(t)
            return
        attempt, step = self.attempts[number], robot.steps[robot.at]
        key = f"{trouble.kind} {step.name}" if isinstance(step, Ask) else trouble.kind
        attempt.attempts[key] = attempt.attempts.get(key, 0) + 1
        hand = report.hands.get(robot.hands.get(trouble.end, ""))
        failed = hand is not None and hand.state is HandState.FAILED
        rest, brake = robot.steps[robot.at + 1 :], robot.brake(trouble)
        scene = Scene(attempt.course, step, rest, brake, failed, attempt.attempts[key])
        found = remedy(trouble, scene)
        self.recoveries += not found.stop
        self._tell("plan.recovery", f"operation {attempt.operation.n}: {trouble.cause}; {found.told}")
        if found.replan or found.stop:
            attempt.pending, attempt.trouble = found, trouble
        robot.begin(found.steps)
        self._hold_others(number, t, report)
        if found.stop:
            self._stop(found.stop)
            robot.go(t, report)
            self._halt_all(t, but=robot)

    def _halt_all(self, t: float, but: Robot | None = None) -> None:
        for robot in self.robots:
            if robot is not but:
                robot.halt(t)

    def _hold_others(self, number: int, t: float, report: Report) -> None:
        """While a robot recovers, others rest unless they are clear of it at all times."""
        attempt = self.attempts[number]
        for k, other in self.attempts.items():
            if k == number or other.paused or attempt.sweep is None or other.sweep is None:
                continue
            if distance(attempt.sweep, other.sweep, 0.0, np.inf) < APART:
                self.robots[k].pause(t, report)
                other.paused = True

    def _stop(self, reason: str) -> None:
        """Safe stop: what moves brakes within its curve, joints hold, no order is given any more."""
        self.stopped = reason
        self._tell("plan.stopped", reason)

    def _tell(self, event: str, text: str) -> None:
        self._told.append((event, text))


def _difference(expected: Contents, found: Contents) -> str:
    """The first module that is not where or as it is expected, in words."""
    for place in np.flatnonzero(expected.identity != found.identity).tolist():
        who = int(found.identity[place] or expected.identity[place])
        return f"module {who} is not where the plan has it"
    for place in np.flatnonzero(expected.orientation != found.orientation).tolist():
        return f"module {int(found.identity[place])} is turned otherwise than the plan has it"
    return ""
