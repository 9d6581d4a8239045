"""Flies a plan of operations: each begins where telemetry allows it, is looked at while it goes on, and is recovered
from when it fails."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from freefloat.errors import FreefloatError
from freefloat.frames import Array
from freefloat.gnc.control.executive.attempt import Attempt
from freefloat.gnc.control.executive.belief import Mates, Modules, carried, lifted, mates_of, same, turned
from freefloat.gnc.control.executive.checks import difference, unfit
from freefloat.gnc.control.executive.company import HOME, Company
from freefloat.gnc.control.executive.course import OTHER, TO_GOAL, course_of, from_a, parked
from freefloat.gnc.control.executive.job import Agenda, Planning, pinned, reached, with_more
from freefloat.gnc.control.executive.onboard_models import ModelKeeper
from freefloat.gnc.control.executive.power import blame, dark_goal
from freefloat.gnc.control.executive.remedies import Put, Remedy, Scene, remedy
from freefloat.gnc.control.executive.robot import Robot
from freefloat.gnc.control.executive.steps import Ask, Follow, Step
from freefloat.gnc.control.executive.sweep import Sweep
from freefloat.gnc.control.executive.telemetry import Report, read_report
from freefloat.gnc.control.executive.trouble import Trouble
from freefloat.gnc.planning.reconfiguration.offers import keeps_rules, with_module
from freefloat.gnc.planning.reconfiguration.problem import Carry, Contents, Excluded, Plan, Problem
from freefloat.hand_words import HandState, Order

Face = tuple[int, int]  # identity of a module and its own side
PERIOD = 0.1  # [s] between updates
REPLANS = 6  # plans that are made before it gives up
PARKS = 4  # places that are tried for a module in the hand
ATTENTION = 0.5  # [s] in which what modules report must settle before it is judged


class Executive:
    """A task. Reads what `read_report` takes; returns `HAND.order` and `HAND.without` of every hand, `progress`
    (operations done, 1 when all are, 1 after a safe stop), `counts` (transfers, steps, recoveries, plans made anew),
    and `told`: events with cause and remedy.

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
        self._doubt = ""  # why what is left of the plan may not be allowed any more
        self.stuck: dict[int, Trouble] = {}  # robot -> its joint that does not follow, until it rests
        self.lame = ""  # which joint is left out
        self._pairs: list[tuple[Face, Face]] = []  # of modules, that did not close
        self._forgiven: frozenset[Face] = frozenset()  # that were left out before, and are tried once more
        self._deaf: list[str] = []  # hands that did not hear an order that was given again and again
        self._told: list[tuple[str, str]] = []
        self._waits: dict[int, object] = {}  # robot -> how the others were when it could not begin beside them
        self._hands = tuple(hand for robot in self.robots for hand in robot.hands.values())
        self._names = tuple(robot.name for robot in self.robots)

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, object]:
        """Orders for the next period; the joints' references go to their controllers."""
        report = read_report(meas, self._hands, self._names)
        self.keeper.keep(report, self.robots, self.modules)
        if not self.finished and not self.stopped and t >= ATTENTION:
            self._work(t, report)
            self.keeper.keep(report, self.robots, self.modules)  # some may stand elsewhere now
        orders = {f"{h}.without": np.array([float(w)]) for r in self.robots for h, w in r.without.items()}
        orders |= {f"{h}.order": np.array([float(o)]) for r in self.robots for h, o in r.orders.items()}
        progress = np.array([float(self.transfers + self.steps), float(self.finished), float(bool(self.stopped))])
        counts = np.array([self.transfers, self.steps, self.recoveries, self.replans], np.float64)
        told, self._told = tuple(self._told), []
        return {"progress": progress, "counts": counts, "told": told, **orders}

    def _work(self, t: float, report: Report) -> None:
        contents = self.modules.contents(report.identity, report.orientation)
        for number, robot in enumerate(self.robots):
            trouble = robot.go(t, report)
            if trouble is not None:
                self._recover(number, trouble, t, report, contents)
                robot.go(t, report)
            if robot.idle and number in self.stuck:
                self._lock(number, t, report, contents)
            elif robot.idle and number in self.attempts:
                self._conclude(number, t, report, contents)
        if not self.attempts and not self.stopped and all(robot.idle for robot in self.robots):
            self._take_stock(report, contents)
        if not self._wants_plan and not self.stopped:
            for number, robot in enumerate(self.robots):
                if robot.idle and all(r.idle or k in self.attempts for k, r in enumerate(self.robots)):
                    self._dispatch(number, t, report, contents)

    def _take_stock(self, report: Report, contents: Contents) -> None:
        """All robots rest: look at contents and power, and plan again where that is asked for."""
        if not same(contents, self.expected) and not self._wants_plan:
            self._wants_plan = difference(self.expected, contents)
        new, why = blame(self.planning.problem, contents, report.powered, self.excluded.dead)
        if why:
            self._stop(why)
            return
        if new:
            self.excluded = with_more(self.excluded, dead=new)
            self._doubt = f"module {new[0]} passes no power"
            self._tell("plan.dark", f"module {', '.join(map(str, new))} passes no power")
        if self._doubt and not self._wants_plan:
            left = [o for o in self.agenda.operations if o.n not in self.agenda.done]
            self._wants_plan = "" if keeps_rules(self._problem(contents), left) else self._doubt
        self._doubt = ""
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
        of = self.planning.problem, contents, self.excluded
        stuck = pinned(*of) or dark_goal(*of)
        if stuck:
            return self._stop(stuck)
        self.replans += 1
        try:
            plan = self._another(contents)
        except FreefloatError as error:
            return self._stop(f"{why}, and no plan was found without it: {' '.join(str(error).split())}")
        self.agenda, self.expected = Agenda(plan.operations), contents
        self._tell("plan.again", f"{why}; new plan of {plan.transfers} transfers and {plan.steps} steps")
        if self.agenda.finished:
            self._finish(contents)
        return None

    def _another(self, contents: Contents) -> Plan:
        """A plan without what is left out; where there is none, with faces that failed before, each once more."""
        stances = [robot.stance for robot in self.robots]
        try:
            return self.planning.plan(contents, stances, self.excluded)
        except FreefloatError:
            again = self.excluded.faces - self._forgiven
            if not again:
                raise
            self._forgiven |= again
            self.excluded = replace(self.excluded, faces=self.excluded.faces - again)
            named = ", ".join(f"module {module} side {side}" for module, side in sorted(again))
            self._tell("plan.forgiven", f"no plan was found without the interfaces that failed; tried again: {named}")
            return self.planning.plan(contents, stances, self.excluded)

    def _dispatch(self, number: int, t: float, report: Report, contents: Contents) -> None:
        """Begin a robot's next operation where telemetry allows it."""
        operation = self.agenda.next_for(number)
        if operation is None or (
            number in self._waits and self._waits[number] == self._company(report).situation(number)
        ):
            return
        robot = self.robots[number]
        why = unfit(operation, robot, report, contents)
        if why:
            self._wants_plan = f"operation {operation.n}: {why}"
            return
        try:
            legs = self.planning.legs(operation, self.expected, self._company(report).others(number))
        except FreefloatError as error:
            self._wants_plan = f"operation {operation.n}: no motion: {error}"
            return
        course = course_of(operation, robot.stands, legs, self._without(operation.carry))
        if course.misses(report.q[robot.name]) > HOME:
            self._bring_home(number, t, report)
            return
        attempt = Attempt(operation, course, self.expected)
        if len(self.robots) > 1:
            attempt.sweep = self.planning.sweep(course.steps, robot.stands, robot.stance)
            if not self._clear(number, attempt.sweep, t, report):
                self._waits[number] = self._company(report).situation(number)
                return
            self._waits.pop(number, None)
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
        leg = self.planning.way_home(
            self.expected, robot.stance, q if robot.stands == "a" else q[::-1], self._company(report).others(number)
        )
        if leg is not None:
            steps = (Follow("go home", from_a(leg, robot.stands)),)
            if len(self.robots) == 1 or self._company(report).apart(
                number, self.planning.sweep(steps, robot.stands, robot.stance)
            ):
                robot.begin(steps)
                robot.go(t, report)
                return
        self._stop(f"{robot.name} is not where its next motion begins, and no way there keeps clear")

    def _clear(self, number: int, sweep: Sweep, t: float, report: Report) -> bool:
        """Whether a robot may begin what takes so much room; one that rests in its way for no reason goes home."""
        if self._company(report).apart(number, sweep):
            return True
        for k in range(len(self.robots)):
            if k != number and not self.attempts and not self._company(report).at_home(k):
                self._bring_home(k, t, report)
                break
        return False

    def _company(self, report: Report) -> Company:
        return Company(self.robots, self.attempts, self.planning, self.expected, report)

    def _conclude(self, number: int, t: float, report: Report, contents: Contents) -> None:
        """A robot has done its steps: the operation's, or what undid it."""
        attempt = self.attempts.pop(number)
        del self.agenda.under_way[number]
        pending = attempt.pending
        if pending is not None and pending.park:
            assert attempt.trouble is not None
            return self._park(number, attempt, attempt.trouble, t, report, contents)
        if pending is not None and pending.replan:
            assert attempt.trouble is not None
            self._leave_out(pending.leave_out, number, attempt, contents)
            self._wants_plan, self.expected = attempt.trouble.cause, contents
            return None
        o = attempt.operation
        self.agenda.done.add(o.n)
        self.steps += o.carry is None
        self.transfers += o.carry is not None
        if o.carry is not None:
            self.expected = carried(self.planning.problem.places, self.expected, o.carry)
        return None

    def _park(
        self, number: int, attempt: Attempt, trouble: Trouble, t: float, report: Report, contents: Contents
    ) -> None:
        """The module in a robot's hand goes to a place that holds it; then all is planned again."""
        robot, o = self.robots[number], attempt.operation
        if self.attempts:  # others first: a way that is made now is in none of theirs
            self.attempts[number], self.agenda.under_way[number] = attempt, o.n
            return None
        carry, gripped = o.carry, attempt.gripped
        assert carry is not None
        now, then = (q if robot.stands == "a" else q[::-1] for q in (report.q[robot.name], gripped))
        others = self._company(report).others(number)
        turn = int(attempt.before.orientation[carry.source])
        start = with_module(contents, carry.source, self.modules.types[o.module], o.module, turn)
        problem = replace(self._problem(contents), start=start)
        found = self.planning.park(problem, robot.stance, now, then, carry, others) if attempt.parks < PARKS else None
        if found is None:
            told = f"module {o.module} in the hand of {robot.name}: {trouble.cause}; no place for it was found"
            return self._stop(told)
        new, *legs = found
        course = parked(attempt.course, new, legs, self._without(new, start))
        again = Attempt(course.operation, course, attempt.before, parks=attempt.parks + 1, taken=gripped)
        pending = attempt.pending if attempt.trouble is trouble else None
        left_out = "" if pending is None else pending.leave_out
        again.pending, again.trouble = Remedy("planned again", leave_out=left_out, replan=True), trouble
        if others:
            again.sweep = self.planning.sweep(course.steps, robot.stands, robot.stance)
            if not self._company(report).apart(number, again.sweep):
                return self._stop(
                    f"module {o.module} in the hand of {robot.name}: {trouble.cause}; others are in its way"
                )
        self.attempts[number] = again
        self.agenda.under_way[number] = o.n
        where = tuple(problem.places.cells[new.target].tolist())
        self._tell("plan.parked", f"module {o.module} goes to cell {where}")
        robot.begin(course.steps[TO_GOAL:])
        robot.go(t, report)
        return None

    def _lock(self, number: int, t: float, report: Report, contents: Contents) -> None:
        """A robot with a joint that does not follow has come to rest: from now on it is planned for with six."""
        trouble, robot, attempt = self.stuck.pop(number), self.robots[number], self.attempts.pop(number, None)
        self.agenda.under_way.pop(number, None)
        end, q = (1, report.q[robot.name]) if robot.stands == "a" else (2, report.q[robot.name][::-1])
        planning = self.planning.locked(trouble.joint, float(report.q[robot.name][trouble.joint]), end, q)
        assert planning is not None
        self.planning, robot.stance = planning, replace(robot.stance, end=end)
        self.lame, self.expected = trouble.cause, contents
        hand = report.hands[robot.hands[OTHER[robot.stands]]]
        if hand.state is HandState.CARRYING and attempt is not None:
            return self._park(number, attempt, trouble, t, report, contents)
        self._wants_plan = trouble.cause
        return None

    def _problem(self, contents: Contents) -> Problem:
        """From here on."""
        stances = tuple(robot.stance for robot in self.robots)
        return replace(self.planning.problem, start=contents, robots=stances, excluded=self.excluded)

    def _mates(self, carry: Carry, target: bool, before: Contents | None = None) -> Mates:
        """Of the module of a carry at its end, or where it came from."""
        places, now, source = self.planning.problem.places, before or self.expected, carry.source
        turn = int(now.orientation[source])
        module = int(now.type[source]), int(now.identity[source]), turned(places, carry.turn, turn) if target else turn
        kinds, place = self.planning.problem.kinds, carry.target if target else source
        return mates_of(places, kinds, lifted(now, source), module, place)

    def _without(self, carry: Carry | None, before: Contents | None = None) -> frozenset[int]:
        """Sides of its goal at which a module is not told to close, since that is known to fail."""
        if carry is None or not self.excluded.faces:
            return frozenset()
        return self._mates(carry, True, before).without(self.excluded.faces)

    def _leave_out(self, what: str, number: int, attempt: Attempt, contents: Contents) -> None:
        trouble, o = attempt.trouble, attempt.operation
        assert trouble is not None
        if what == "hand":
            hand = self.robots[number].hands[trouble.end]
            if hand in self._deaf:
                self._stop(f"module {o.module}: {trouble.cause}, as before; hand {hand!r} does not hear")
            self._deaf.append(hand)
        if what == "opens":
            self.excluded = with_more(self.excluded, opens=[o.module])
        elif what == "face":
            face = attempt.failed_face(self.planning.problem.places, contents)
            self.excluded = with_more(self.excluded, faces=[face])

    def _recover(self, number: int, trouble: Trouble, t: float, report: Report, contents: Contents) -> None:
        """The next means against trouble, with its cause told."""
        robot = self.robots[number]
        if trouble.kind == "joint" and len(self.robots) == 1 and not self.lame and self.planning.locking is not None:
            self.recoveries += 1
            self._tell("plan.recovery", f"{trouble.cause}; brakes and plans again without it")
            self.stuck[number] = trouble
            robot.hold(report)
            return
        if trouble.kind == "joint" or number not in self.attempts:
            robot.halt(t)
            also = f" (besides: {self.lame})" if self.lame else ""
            self._stop(f"{trouble.cause}{also}; no motions are known without it")
            self._halt_all(t)
            return
        attempt, step = self.attempts[number], robot.steps[robot.at]
        key = f"{trouble.kind} {step.name}" if isinstance(step, Ask) else trouble.kind
        attempt.attempts[key] = attempt.attempts.get(key, 0) + 1
        hand = report.hands.get(robot.hands.get(trouble.end, ""))
        failed = hand is not None and hand.state is HandState.FAILED
        rest, brake = robot.steps[robot.at + 1 :], robot.brake(trouble)
        put = self._put(attempt, step, trouble, attempt.attempts[key])
        scene = Scene(attempt.course, step, rest, brake, failed, attempt.attempts[key], put)
        found = remedy(trouble, scene)
        self.recoveries += not found.stop
        self._tell("plan.recovery", f"operation {attempt.operation.n}: {trouble.cause}; {found.told}")
        if found.replan or found.stop:
            attempt.pending, attempt.trouble = found, trouble
        if found.leave_out == "pair":
            self._doubt = trouble.cause
        robot.begin(found.steps)
        if found.stop:
            self._stop(found.stop)
            robot.go(t, report)
            self._halt_all(t, but=robot)

    def _put(self, attempt: Attempt, step: Step, trouble: Trouble, times: int) -> Put | None:
        """What can hold a module that is being placed; a face that has failed twice is left out from now on."""
        carry = attempt.operation.carry
        if carry is None or not isinstance(step, Ask) or step.order is not Order.PLACE:
            return None
        here, back = self._mates(carry, not step.returns, attempt.before), self._mates(carry, False, attempt.before)
        pair = here.pairs.get(trouble.face[1]) if trouble.kind == "place" else None
        if pair is not None and times > 1:
            known = [face for face in pair if any(face in other for other in self._pairs)]
            self.excluded = with_more(self.excluded, faces=[known[0] if known else pair[1]])
            self._pairs.append(pair)
        faces = self.excluded.faces
        return Put(here.hold(faces), here.without(faces), back.hold(faces), back.without(faces))

    def _halt_all(self, t: float, but: Robot | None = None) -> None:
        for robot in self.robots:
            if robot is not but:
                robot.halt(t)

    def _stop(self, reason: str) -> None:
        """Safe stop: what moves brakes within its curve, joints hold, no order is given any more."""
        self.stopped = reason
        self._tell("plan.stopped", reason)

    def _tell(self, event: str, text: str) -> None:
        self._told.append((event, text))
