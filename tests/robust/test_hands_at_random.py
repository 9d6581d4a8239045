"""Two hands that are ordered about at random, with faults: no module is lost or doubled, and the rest stays whole."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import freefloat as ff
from freefloat.hand_words import HandState, Order
from freefloat.structure.faults import Fault
from freefloat.verify.handling_rig import assembly, reach, stack, top, two_handling

CELLS = [(i, 0, k) for i in range(3) for k in range(3)]
FULL = {cell: "source" if cell == (0, 0, 0) else "box" for cell in CELLS if cell[2] < 2}
HANDS = ("left", "right")
TURNS, SEEDS = 60, (5, 9, 12, 14)


def faults(rng: np.random.Generator) -> list[Fault]:
    module = [int(m) for m in rng.integers(1, len(FULL) + 1, 3)]
    return [
        Fault("no-open", module=module[0], count=2),
        Fault("no-close", module=module[1], count=None),
        Fault("no-close", at=3.0, hand="left", count=1, repairable=True),
        Fault("lost-order", at=2.0, hand=str(rng.choice(HANDS)), count=3),
        Fault("dead-module", at=5.0, module=module[2]),
        Fault("overload", at=8.0, hand="right", max_force=30.0, max_torque=30.0),
    ]


def act(session: ff.Session, hand: str, rng: np.random.Generator) -> None:
    """Give a hand an order that may or may not make sense, over a cell that may or may not be free."""
    state = HandState(int(session.read(f"modules.{hand}.state")[0]))
    if state in (HandState.OPEN, HandState.CARRYING) and rng.random() < 0.8:
        goal = top(stack(FULL), CELLS[rng.integers(len(CELLS))]) + 0.003 * rng.normal(size=3)
        reach(session, goal + np.array([0.0, 0.0, 0.1]), hand)
        session.step(0.021)  # it is seen from where the hand comes
        reach(session, goal, hand)
    sensible = {HandState.OPEN: Order.LATCH, HandState.CLOSED: Order.PICK, HandState.CARRYING: Order.PLACE}
    order = sensible.get(state, Order.RESET) if rng.random() < 0.7 else Order(int(rng.integers(1, 6)))
    session.write(f"modules.{hand}.order", [float(order)])
    session.write(f"modules.{hand}.count", session.read(f"modules.{hand}.count") + 1.0)


def run(seed: int) -> tuple[int, list[str]]:
    """Check the laws at every turn; how often both moved a module at once, and what was told."""
    rng = np.random.default_rng(seed)
    body = stack(FULL)
    over = {hand: top(body, cell) for hand, cell in zip(HANDS, ((0, 0, 1), (2, 0, 1)), strict=True)}
    motion = ff.Motion(w_WL_L=(0.02, -0.01, 0.03))
    session = two_handling(body, over, motion, 2e-3, faults=faults(rng)).session()
    modules, at_once = assembly(session), 0
    for _ in range(TURNS):
        for hand in rng.permutation(HANDS)[: rng.integers(1, 3)]:
            act(session, str(hand), rng)
        session.step(float(rng.uniform(0.02, 0.6)))
        held = sorted(int(m) for b in modules.bodies.values() for m in b.identity if m > 0)
        assert held == list(range(1, len(FULL) + 1))
        assert modules.latches.without(modules.bodies["stack"]) <= 1
        at_once += len(modules.latches.under_way) == 2
        mass = sum(session.world.links[name].mass for name in modules.bodies)
        assert mass == pytest.approx(10.0 * len(FULL) + 4.0, rel=1e-12)
    return at_once, [e.name.split(".")[1] for e in session.fired]


def test_nothing_is_lost_or_doubled_and_the_structure_stays_in_one_piece() -> None:
    runs = [run(seed) for seed in SEEDS]
    told = Counter(name for _, names in runs for name in names)
    assert sum(at_once for at_once, _ in runs) >= 2, "both were under way at once"
    assert {"picked", "placed", "overload", "reset", "order", "fault"} <= told.keys(), told
