"""From links and joints as a file declares them to a `LinkGraph`, with the motion that the laws of physics give them.

Links that fixed joints tie together are settled in `rigid`. A massless link between moving joints makes them joints in
series; a massless root that moving joints hang from is what the robot stands on. Where nothing determines how a joint
accelerates, since what it moves has no inertia, the joint cannot be modelled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from freefloat.engine.graph import Actuator, Coupling, LinkGraph
from freefloat.geometry.shape import Shape
from freefloat.robots.attempt import Attempt
from freefloat.robots.declared import DeclaredJoint, DeclaredLink, Tree, check_unique
from freefloat.robots.inertial import Inertial
from freefloat.robots.reading import Reading

__all__ = ["DeclaredJoint", "DeclaredLink", "Inertial", "assemble", "check_unique"]

_ALLOWED = "give the links that it moves a mass and an inertia"


def assemble(
    links: Sequence[DeclaredLink],
    joints: Sequence[DeclaredJoint],
    where: str,
    reading: Reading | None = None,
    couplings: Sequence[Coupling] = (),
    actuators: Sequence[Actuator] = (),
    ground: Sequence[Shape] = (),
) -> LinkGraph:
    """The graph of one robot, links and joints in the file's order. `where` starts messages about the whole.

    Joints may hang from `WORLD`, what the robot stands on; `ground` holds its shapes. Where no link tells what it
    touches with, none is told. Raises `ModelError` with all problems of the `reading`.
    """
    reading = Reading() if reading is None else reading
    graph = LinkGraph((), (), "")
    with reading.collecting():
        graph = _graph(Tree.of(links, joints, where), reading, couplings)
        check_unique("frame", [(name, where) for link in graph.links for name in link.frames])
    moving = {j.name for j in graph.joints if j.kind != "fixed"}
    reading.skipped += [f"actuator {a.name}: its joint is left out" for a in actuators if a.joint not in moving]
    reading.finish()
    return replace(
        graph,
        couplings=tuple(c for c in couplings if c.joint in moving and c.leader in moving),
        actuators=tuple(a for a in actuators if a.joint in moving),
        ground=(*ground, *graph.ground),
        notes=tuple(reading.notes),
        skipped=tuple(reading.skipped),
    )


def _graph(tree: Tree, reading: Reading, couplings: Sequence[Coupling]) -> LinkGraph:
    """The graph, after as many attempts as it takes until no joint is left that moves nothing."""
    held: dict[str, float] = {}  # joints that are welded, and at which value
    while True:
        found = Attempt(tree.welded(held) if held else tree, Reading(reading.unsupported, reading.balance))
        stuck = found.stuck()
        if not stuck:
            graph = replace(found.graph, links=found.links(), ground=found.ground())
            reading.take(found.reading)
            return graph
        for name, (where, what) in stuck.items():
            if name not in held:
                reading.cannot(where, what, _ALLOWED, "held")
                held |= _held(tree, name, couplings, held)


def _held(tree: Tree, name: str, couplings: Sequence[Coupling], held: Mapping[str, float]) -> dict[str, float]:
    """A joint at zero, or the nearest position within its limits, and those that it leads, at theirs."""
    joints = {j.name: j for edge in tree.edges for j in edge.joints}
    own = joints[name]
    new = {name: float(np.clip(0.0, own.lower, own.upper))}
    while True:
        more = {
            c.joint: float(sum(a * new[c.leader] ** k for k, a in enumerate(c.coefficients)))
            for c in couplings
            if c.leader in new and c.joint not in new and c.joint not in held
        }
        if not more:
            return new
        new |= more
