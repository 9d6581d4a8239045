"""Links and joints as a robot's file declares them, and the tree that they make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from freefloat.engine.graph import WORLD, Joint
from freefloat.errors import ModelError
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape
from freefloat.robots.inertial import Inertial
from freefloat.robots.xmltree import shown


@dataclass(frozen=True)
class DeclaredLink:
    """A link as its file has it; without `inertial` it can only become a named frame."""

    name: str
    inertial: Inertial | None
    where: str  # starts the message about it
    shapes: tuple[Shape, ...] = ()
    frames: Mapping[str, Pose] = field(default_factory=lambda: MappingProxyType({}))  # name -> X_LF
    touching: tuple[Shape, ...] | None = None  # None: the file does not tell

    @property
    def massive(self) -> bool:
        return self.inertial is not None and self.inertial.mass > 0.0


@dataclass(frozen=True)
class DeclaredJoint:
    """A joint as its file has it. Where the child is `free`, nothing holds it: X_PJ X_JC is its pose at the start."""

    joint: Joint
    where: str
    free: bool = False


@dataclass(frozen=True)
class Edge:
    """The joints between two links: one, or several in series."""

    joints: tuple[Joint, ...]
    where: str
    free: bool = False

    @property
    def parent(self) -> str:
        return self.joints[0].parent

    @property
    def child(self) -> str:
        return self.joints[0].child

    @property
    def rigid(self) -> bool:
        return not self.free and all(j.kind == "fixed" for j in self.joints)

    def behind(self, X_HP: Pose) -> Pose:
        """X_HC at zero of all joints, where X_HP is given."""
        for j in self.joints:
            X_HP = X_HP @ j.X_PJ @ j.X_JC
        return X_HP

    def welded(self, values: Mapping[str, float]) -> Edge:
        """The edge with some of its joints held at a value."""
        left: list[Joint] = []
        X = Pose.identity()
        for j in self.joints:
            if j.name in values:
                X = X @ j.X_PJ @ motion(j, values[j.name]) @ j.X_JC
            else:
                left.append(replace(j, X_PJ=X @ j.X_PJ, series=bool(left)))
                X = Pose.identity()
        if not left:
            return replace(self, joints=(Joint(self.joints[0].name, "fixed", self.parent, self.child, X),))
        left[-1] = replace(left[-1], X_JC=left[-1].X_JC @ X)
        return replace(self, joints=tuple(left))


def motion(joint: Joint, q: float) -> Pose:
    """What the coordinate of a joint does."""
    zero = np.zeros(3)
    turn, shift = (joint.axis * q, zero) if joint.kind == "revolute" else (zero, joint.axis * q)
    return Pose.identity() if joint.kind == "fixed" else Pose.exp(np.concatenate([turn, shift]))


def check_unique(kind: str, named: Sequence[tuple[str, str]]) -> None:
    """Refuse the second of two equal names; `named` holds (name, where)."""
    seen: set[str] = set()
    for name, where in named:
        if name in seen:
            raise ModelError(f"{where}: second {kind} named {shown(name)}; allowed: each name once")
        seen.add(name)


class Tree:
    """Declared links in tree order (parents first), after the checks that they are one tree.

    Where joints hang from `WORLD` and no link has that name, the world is the root.
    """

    def __init__(self, links: Mapping[str, DeclaredLink], edges: Sequence[Edge], where: str) -> None:
        self.links, self.edges, self.where = dict(links), list(edges), where
        self.stands = WORLD not in self.links and any(edge.parent == WORLD for edge in edges)
        if self.stands:
            self.links = {WORLD: DeclaredLink(WORLD, None, where), **self.links}
        self.above: dict[str, Edge] = {}
        self.below: dict[str, list[Edge]] = {name: [] for name in self.links}
        for edge in edges:
            if edge.child in self.above:
                first = self.above[edge.child]
                raise ModelError(
                    f"{edge.where}: link {shown(edge.child)} already hangs from {shown(first.parent)} by joint"
                    f" {shown(first.joints[0].name)}; allowed: one parent for each link"
                )
            self.above[edge.child] = edge
            self.below[edge.parent].append(edge)
        self.order = self._order()

    @classmethod
    def of(cls, links: Sequence[DeclaredLink], joints: Sequence[DeclaredJoint], where: str) -> Tree:
        """The tree of a file; a joint in series belongs to the one before it."""
        check_unique("link", [(link.name, link.where) for link in links])
        check_unique("joint", [(j.joint.name, j.where) for j in joints])
        edges: list[Edge] = []
        for j in joints:
            if j.joint.series and edges:
                edges[-1] = replace(edges[-1], joints=(*edges[-1].joints, j.joint))
            else:
                edges.append(Edge((j.joint,), j.where, j.free))
        return cls({link.name: link for link in links}, edges, where)

    def welded(self, values: Mapping[str, float]) -> Tree:
        """The tree with some joints held at a value."""
        held = [edge.welded(values) if any(j.name in values for j in edge.joints) else edge for edge in self.edges]
        links = {name: link for name, link in self.links.items() if not (self.stands and name == WORLD)}
        return Tree(links, held, self.where)

    def _order(self) -> list[str]:
        roots = [name for name in self.links if name not in self.above]
        if len(roots) > 1:
            some = ", ".join(shown(name) for name in roots[:5]) + (", ..." if len(roots) > 5 else "")
            raise ModelError(f"{self.where}: {len(roots)} links have no parent ({some}); allowed: exactly one root")
        order = list(roots)
        for name in order:  # grows while it is read
            order.extend(edge.child for edge in self.below[name])
        lost = self.links.keys() - set(order)
        if lost:
            edge = next(edge for name, edge in self.above.items() if name in lost)
            raise ModelError(f"{edge.where}: closes a loop of links; allowed: a tree with exactly one root")
        if not order:
            raise ModelError(f"{self.where}: has no links; allowed: at least one link")
        return order
