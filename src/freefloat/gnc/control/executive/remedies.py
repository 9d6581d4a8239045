"""What to do about trouble: again, after backing off, slower, undone and planned anew, or stopped for good."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from freefloat.gnc.control.executive.course import (
    LATCH,
    PICK,
    PLACE,
    STEP_LIFT,
    Course,
    backed_off,
    undone,
)
from freefloat.gnc.control.executive.steps import Ask, Follow, Step, halved, slowed
from freefloat.gnc.control.executive.trouble import Trouble
from freefloat.hand_words import Order

REPEATS = 3  # orders that are given again
BACK_OFF = 4.0  # [s] of a curve's clock that a hand backs off before it comes again
RETRIES = {"latch": 1, "pick": 1, "place": 1, "release": 2, "overload": 3}  # before the operation is given up


@dataclass(frozen=True)
class Scene:
    """Where trouble found a robot."""

    course: Course
    step: Step  # the present one
    rest: tuple[Step, ...]  # what was to follow
    brake: Follow | None  # that ends the present motion
    failed: bool  # the hand says so
    attempt: int  # 1: the first time in this step
    put: Put | None = None  # where a module is being placed


@dataclass(frozen=True)
class Put:
    """How a module that does not close can be held yet, without the faces that are known to fail."""

    holds: bool  # where it is, by another interface
    without: frozenset[int]  # sides that stay open there
    holds_back: bool  # where it came from
    without_back: frozenset[int]


@dataclass(frozen=True)
class Remedy:
    """What the robot does next. `leave_out`, `replan` and `park` hold from when it is done; `stop` is why it is all
    over."""

    told: str
    steps: tuple[Step, ...] = field(default=(), repr=False)
    leave_out: str = ""  # "face", "opens"; "hand", which does not hear; "pair": of modules, which stays open
    replan: bool = False
    park: bool = False  # the module in the hand goes to another place
    stop: str = ""


def remedy(trouble: Trouble, scene: Scene) -> Remedy:
    """The next means that is left."""
    match trouble.kind:
        case "lost-order":
            if scene.attempt <= REPEATS:
                return Remedy("the order is given again", (scene.step, *scene.rest))
            assert isinstance(scene.step, Ask)
            return _given_up(trouble, scene, f"it was told {REPEATS + 1} times", heard=False)
        case "overload":
            return _slower(trouble, scene)
        case "contents" | "power":
            back = undone(scene.course, _index(scene), trouble.place, 1.0)
            if back is None:
                return Remedy("planned again once it is done", (scene.step, *scene.rest), replan=True)
            return Remedy("undone and planned again", back, replan=True)
        case _:
            return _failed(trouble, scene)


def _failed(trouble: Trouble, scene: Scene) -> Remedy:
    """A hand or what it works on does not close or open."""
    if scene.attempt > RETRIES[trouble.kind]:
        if trouble.kind == "place" and scene.put is not None and scene.put.holds:
            assert isinstance(scene.step, Ask)
            order = replace(scene.step, without=scene.put.without)
            return Remedy("leaves that interface open", (*_reset(trouble, scene), order, *scene.rest), "pair")
        return _given_up(trouble, scene, f"tried {scene.attempt} times")
    index, reset = _index(scene), _reset(trouble, scene)
    again = (scene.step, *scene.rest)
    if _own(scene, index) and (index in (LATCH, PLACE) and trouble.kind in ("latch", "place")):
        return Remedy("backs off and tries again", (*reset, *backed_off(scene.course, index - 1, BACK_OFF), *again))
    return Remedy("tries again", (*reset, *again))


def _given_up(trouble: Trouble, scene: Scene, why: str, heard: bool = True) -> Remedy:
    """Undo the operation and plan without what failed, where there is a way back; an order that was not `heard` says
    nothing of modules and faces."""
    module, index = scene.course.operation.module, _index(scene)
    assert isinstance(scene.step, Ask)
    own = _own(scene, index)
    lifts = scene.course.operation.carry is None and index == STEP_LIFT
    back = undone(scene.course, index, 0.0, 1.0) if own and not lifts else None
    if scene.put is not None:
        return _another_place(trouble, scene, scene.put, "" if heard else "hand")
    if back is None:
        return Remedy("safe stop", stop=f"module {module}: {trouble.cause}, {why}, and there is no way back")
    steps = (*_reset(trouble, scene), *back)
    if not heard:
        return Remedy("goes back and plans again", steps, "hand", replan=True)
    if scene.course.operation.carry is not None and index == PICK:
        return Remedy("lets it be and plans again without moving it", steps, "opens", replan=True)
    return Remedy("goes back and plans again without that face", steps, "face", replan=True)


def _another_place(trouble: Trouble, scene: Scene, put: Put, leave_out: str) -> Remedy:
    """A module that does not stay where it is put goes back, or where else it can."""
    assert isinstance(scene.step, Ask)
    reset = _reset(trouble, scene)
    back = None if scene.step.returns or not put.holds_back else undone(scene.course, PLACE, 0.0, 1.0, put.without_back)
    if back is None:
        return Remedy("looks for another place", reset, leave_out, replan=True, park=True)
    return Remedy("puts the module back and plans again", (*reset, *back), leave_out, replan=True)


def _slower(trouble: Trouble, scene: Scene) -> Remedy:
    """Brake, and on at half the pace."""
    module = scene.course.operation.module
    if scene.attempt > RETRIES["overload"]:
        return Remedy("safe stop", _braked(scene), stop=f"module {module}: {trouble.cause} however slow the motion is")
    reset = Ask("take the load off", trouble.end, Order.RESET)
    if not isinstance(scene.step, Follow):
        return Remedy("goes on", (reset, scene.step, *scene.rest))
    steps = (*_braked(scene), reset, slowed(scene.step, scene.brake, 0.5), *(halved(s) for s in scene.rest))
    return Remedy("brakes and goes on at half the pace", steps)


def _braked(scene: Scene) -> tuple[Step, ...]:
    return (scene.brake,) if scene.brake is not None else ()


def _reset(trouble: Trouble, scene: Scene) -> tuple[Step, ...]:
    return (Ask("reset", trouble.end, Order.RESET),) if scene.failed else ()


def _own(scene: Scene, index: int) -> bool:
    """Whether the present step is one of the course's, not of a recovery."""
    return index < len(scene.course.steps) and scene.course.steps[index] is scene.step


def _index(scene: Scene) -> int:
    """Of the present step in its course, or of the motion of the course that it rides again."""
    for k, step in enumerate(scene.course.steps):
        if step is scene.step:
            return k
        if isinstance(step, Follow) and isinstance(scene.step, Follow) and step.path is scene.step.path:
            return k
    return len(scene.course.steps)
