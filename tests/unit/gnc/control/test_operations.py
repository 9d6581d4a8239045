"""Named operations: their order, what is refused before anything moves, and what ends a run."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from freefloat.errors import InputError, SimulationError
from freefloat.frames import Pose
from freefloat.gnc.control.inverse_dynamics import Mass
from freefloat.gnc.control.operational import HybridControl
from freefloat.gnc.control.operational_model import ArmModel
from freefloat.gnc.control.operations import (
    GRIP_RATE,
    OPENING,
    Operation,
    Operations,
    Site,
    Situation,
    check_operations,
)
from freefloat.gnc.planning.arm.line_check import LineLimits

Q = np.array([-0.3, 0.4, 0.0, 1.2, 0.0, 0.8, 0.0])
PERIOD = 0.01  # [s]
BOX = Mass(30.0, np.array([0.0, 0.0, 0.3]), np.diag([1.0, 1.0, 1.0]))
SITE = Site(LineLimits(np.full(7, 0.175), Q), payloads={"box": BOX})
DOWN = (0.0, 0.0, -1.0)
OPEN = {"tactile": np.zeros(2), "held": np.zeros(1)}


@pytest.fixture
def control(spider_on: Callable[..., ArmModel]) -> HybridControl:
    made = HybridControl(spider_on(), np.full(7, 0.175), Q)
    still = {"q": Q, "load": np.zeros(6), "q_WS": np.array([1.0, 0.0, 0.0, 0.0]), "level": np.zeros(1)}
    made.update(0.0, {**still, "torque": np.zeros(7)})  # references stand where the joints are
    return made


def listed(*words: str) -> list[Operation]:
    return [Operation(word, direction=DOWN, distance=0.05, payload="box") for word in words]


@pytest.mark.parametrize(
    ("words", "at", "allowed"),
    [
        ("press", 0, "approach first"),
        ("slide", 0, "press first"),
        ("approach slide", 1, "press first"),
        ("approach approach", 1, "press, slide, move, release"),
        ("approach press move slide", 3, "press first"),
        ("latch", 0, "grip first"),
        ("release", 0, "grip first"),
        ("grip grip", 1, "latch, release"),
        ("grip move", 1, "latch, release"),
        ("grip latch latch", 2, "grip first"),
        ("grip latch release release", 3, "grip first"),
    ],
)
def test_an_operation_out_of_sequence_is_refused_with_its_number_and_what_is_allowed(
    control: HybridControl, words: str, at: int, allowed: str
) -> None:
    order = words.split()
    with pytest.raises(InputError, match=rf"operation {at} \({order[at]}\): out of sequence.*allowed: {allowed}"):
        check_operations(control, listed(*order), Situation(Q), SITE)
    check_operations(control, listed(*order[:at]), Situation(Q), SITE)  # all before it are in sequence


def test_operations_in_sequence_tell_where_the_arm_stands_after_them(control: HybridControl) -> None:
    chain = control.arm.chain
    X = chain.pose(Q)
    to = Pose(X.R, np.add(X.p, [0.0, 0.1, 0.05]))
    after = check_operations(control, [Operation("move", to=to), *listed("approach", "press")], Situation(Q), SITE)
    assert (after.touching, after.pressing, after.gripped, after.held) == (True, True, False, False)
    assert chain.pose(after.q).p == pytest.approx(np.add(to.p, [0.0, 0.0, -0.05]), abs=1e-6)
    away = check_operations(control, [Operation("move", to=to), *listed("grip", "latch")], after, SITE)
    assert (away.touching, away.pressing, away.gripped, away.held) == (False, False, True, True)


@pytest.mark.parametrize(
    ("operation", "told"),
    [
        (Operation("move", speed=0.2), r"\(move\): speed 0\.2 m/s; allowed: above 0, up to 0\.1 m/s"),
        (
            Operation("move", to=Pose(np.eye(3), (3.0, 0.0, 0.0))),
            r"\(move\), \d+ % of the way, at \(.*\) m: beyond reach",
        ),
        (Operation("move", joints=np.zeros(3)), "allowed: 7 finite numbers"),
        (Operation("press", force=120.0), r"\(press\): force 120\.0 N; allowed: above 0, up to 100 N"),
        (Operation("press", force=float("nan")), r"\(press\): force nan N"),
        (Operation("grip", force=0.0), r"\(grip\): force 0\.0 N; allowed: above 0, up to 200 N"),
        (Operation("latch", payload="bx"), r"\(latch\): payload 'bx' is not there; allowed: box"),
    ],
)
def test_what_cannot_be_done_is_refused_before_anything_moves(
    control: HybridControl, operation: Operation, told: str
) -> None:
    ready = Situation(Q, touching=operation.do == "press", gripped=operation.do == "latch")
    with pytest.raises(InputError, match=told):
        check_operations(control, [operation], ready, SITE)


def test_a_word_that_is_none_is_refused_with_the_nearest() -> None:
    with pytest.raises(InputError, match="unknown operation 'grab'"):
        Operation("grab")


def test_a_refused_list_leaves_the_plan_as_it_was(control: HybridControl) -> None:
    plan = Operations(control, SITE, Q)
    plan.begin(listed("approach"))
    before = plan.plan
    with pytest.raises(InputError, match=r"operation 1 \(slide\)"):
        plan.begin(listed("move", "slide"))
    assert plan.plan is before
    assert [o.do for o in plan.operations] == ["approach"]
    plan.begin(listed("press"))  # in sequence behind the list before
    assert plan.plan.pressing


def test_jaws_are_told_a_force_that_rises_no_faster_than_its_rate(control: HybridControl) -> None:
    plan = Operations(control, SITE, Q, period=PERIOD)
    plan.begin([Operation("grip", force=20.0)])
    told = np.array([plan.update(k * PERIOD, OPEN)["jaws"] for k in range(30)])
    assert -np.diff(told, axis=0).min() == pytest.approx(GRIP_RATE * PERIOD)
    assert told[-1] == pytest.approx([-20.0, -20.0])
    done = plan.update(0.3, {**OPEN, "tactile": np.array([18.5, 18.5])})
    assert done["step"].tolist() == [1.0, 1.0]


def test_the_model_carries_the_payload_from_the_latch_to_the_release(control: HybridControl) -> None:
    plan, bare = Operations(control, SITE, Q, period=PERIOD), control.arm.inertia(Q)
    plan.begin(listed("grip", "latch", "release"))
    closed = {"tactile": np.full(2, 20.0), "held": np.zeros(1)}
    assert plan.update(0.0, closed)["latch"][0] == 1.0
    assert control.arm.inertia(Q) == pytest.approx(bare)  # told to latch, and not held yet
    plan.update(PERIOD, {**closed, "held": np.ones(1)})
    assert control.arm.inertia(Q)[0, 0] > bare[0, 0] + 1.0
    jaws = [plan.update((2 + k) * PERIOD, closed) for k in range(30)][-1]
    assert control.arm.inertia(Q) == pytest.approx(bare, rel=1e-9, abs=1e-9)
    assert (plan.finished, jaws["latch"][0], jaws["jaws"][0]) == (True, 0.0, pytest.approx(OPENING))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("approach", r"operation 0 \(approach\): nothing met within 0\.05 m"),
        ("grip", r"operation 0 \(grip\): the jaws do not close within 10 s"),
    ],
)
def test_what_never_comes_ends_the_run_with_the_operation(control: HybridControl, words: str, told: str) -> None:
    plan = Operations(control, SITE, Q, period=PERIOD)
    plan.begin(listed(words))
    plan.update(0.0, OPEN)
    plan.update(0.5, OPEN)  # not yet
    with pytest.raises(SimulationError, match=told):
        plan.update(10.1, OPEN)


def test_an_approach_ends_at_the_force_and_a_move_after_its_rest(control: HybridControl) -> None:
    plan = Operations(control, SITE, Q, period=PERIOD)
    X = control.X_AT
    plan.begin([*listed("approach"), Operation("move", to=Pose(X.R, np.add(X.p, [0.0, 0.0, 0.02])), settle=0.5)])
    plan.update(0.0, OPEN)
    control.out.wrench[5] = 19.9
    assert plan.update(PERIOD, OPEN)["step"][0] == 0.0
    control.out.wrench[5] = 20.1
    assert plan.update(2 * PERIOD, OPEN)["step"][0] == 1.0
    end = plan.ends + 0.5
    assert end > 2 * PERIOD + 0.5
    assert not plan.finished
    assert plan.update(end - 1e-6, OPEN)["step"].tolist() == [1.0, 0.0]
    assert plan.update(end, OPEN)["step"].tolist() == [2.0, 1.0]
