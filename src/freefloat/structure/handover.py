"""What a hand has begun goes on: it latches or opens, and a module changes sides once its interfaces have.

Meanwhile the module's other interfaces open or close.
"""

from __future__ import annotations

from freefloat.engine.world import World
from freefloat.hand_words import HandState
from freefloat.structure.drawing import keep, residual, residual_text
from freefloat.structure.hand import Hand, Site
from freefloat.structure.interface import Record, State
from freefloat.structure.module_transfer import move_module


def progress(hand: Hand, t: float, site: Site) -> bool:
    """Go on with what was begun; True when the contents of a body or a latch changed."""
    world = site.world
    if hand.state == HandState.CLOSING:
        hand.interface, record = hand.interface.update(t, residual(hand, world))
        return record is not None and _latched(hand, world, record)
    if hand.state == HandState.OPENING:
        hand.interface, record = hand.interface.update(t)
        return record is not None and _opened(hand, world, record)
    if hand.state in (HandState.PICKING, HandState.PLACING):
        return _hand_over(hand, t, site)
    return False


def _latched(hand: Hand, world: World, record: Record) -> bool:
    if record.state is State.CLOSED:
        keep(hand, world)
        hand.state = HandState.CLOSED
        world.report(f"{hand.name}.closed", f"residual {residual_text(hand, world)}")
    else:
        world.detach(hand.setup.connection)
        hand.failed = hand.place, hand.side
        hand.fail(world, "latch", record.reason)
    return True


def _opened(hand: Hand, world: World, record: Record) -> bool:
    if record.state is State.OPEN:
        world.detach(hand.setup.connection)
        hand.state, hand.place, hand.side = HandState.OPEN, -1, -1
        world.report(f"{hand.name}.opened", "")
    else:
        hand.failed = hand.place, hand.side
        hand.fail(world, "release", record.reason)
    return True


def _hand_over(hand: Hand, t: float, site: Site) -> bool:
    world, placing = site.world, hand.state == HandState.PLACING
    left = residual(hand, world) if placing else None
    done, failure = site.latches.progress(site.bodies[hand.structure], t, left, hand.name)
    if failure:
        if placing:
            world.detach(hand.setup.connection)
        hand.failed = site.latches.failed[hand.name]
        hand.fail(world, hand.state.name.lower(), failure)
        return True
    if done:
        (_placed if placing else _picked)(hand, site)
    return done


def _picked(hand: Hand, site: Site) -> None:
    world, body, tool = site.world, site.bodies[hand.structure], site.bodies[hand.setup.tool]
    identity = int(body.identity[hand.place])
    X_TM = body.X_TM(hand.place)
    X_ET = world.pose(hand.setup.frame).inverse() @ world.pose(hand.structure)
    move_module(world, body, hand.place, tool, 0, X_ET @ X_TM)
    world.detach(hand.setup.connection)
    site.latches.cleared(body, hand.place, hand.name)
    world.report(f"{hand.name}.picked", f"module {identity} from {body.grid.named(hand.place)}")
    hand.state, hand.place, hand.side = HandState.CARRYING, -1, -1


def _placed(hand: Hand, site: Site) -> None:
    world, body, tool = site.world, site.bodies[hand.structure], site.bodies[hand.setup.tool]
    identity = int(tool.identity[0])
    X_TE = world.pose(hand.structure).inverse() @ world.pose(hand.setup.frame)
    left = residual_text(hand, world)
    move_module(world, tool, 0, body, hand.place, X_TE @ tool.X_TM(0))
    site.latches.settled(body, hand.place, hand.name)
    keep(hand, world)
    hand.state = HandState.CLOSED
    world.report(f"{hand.name}.placed", f"module {identity} at {body.grid.named(hand.place)}, residual {left}")
