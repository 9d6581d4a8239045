"""One attempt at a robot's graph: the groups of links that move as one, settled, and the joints between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType

from freefloat.engine.graph import WORLD, Joint, Link, LinkGraph
from freefloat.errors import ModelError
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape
from freefloat.robots.declared import Edge, Tree
from freefloat.robots.movable import undetermined
from freefloat.robots.reading import Reading
from freefloat.robots.rigid import Group, groups, has_mass, settle, stand_in
from freefloat.robots.xmltree import shown


class Attempt:
    """The groups of a tree. `stuck` settles them and makes `graph`, which has no links yet."""

    def __init__(self, tree: Tree, reading: Reading) -> None:
        self.tree, self.reading = tree, reading
        self.groups = groups(tree)
        self.of = {name: group for group in self.groups for name in group.members}
        self.root = self._root()
        self.empty = [g for g in self.groups if g.above is not None and not has_mass(tree, g)]
        self.passed = [g for g in self.empty if len(self._joints_below(g)) == 1]  # between joints in series
        self.graph = LinkGraph((), (), WORLD)

    def _root(self) -> Group:
        """The first group, or else the first free one where that has neither mass nor joints."""
        first = self.groups[0]
        if self.tree.stands or has_mass(self.tree, first) or self._joints_below(first):
            return first
        free = [edge.child for name in first.members for edge in self.tree.below[name] if edge.free]
        return self.of[free[0]] if free else first

    def _joints_below(self, group: Group) -> list[Edge]:
        return [e for name in group.members for e in self.tree.below[name] if self.of[e.child].above is e]

    def stuck(self) -> dict[str, tuple[str, str]]:
        """Joints that move nothing, or nothing determinate: (place, what cannot be modelled) of each."""
        if not any(has_mass(self.tree, g) for g in self.groups):
            raise ModelError(f"{self.tree.where}: no link has a mass; allowed: at least one link with mass and inertia")
        ends = [g.above for g in self.empty if g.above is not None and not self._joints_below(g)]
        if ends:
            return {
                j.name: (edge.where, f"a joint that moves link {shown(edge.child)}, which has no mass,")
                for edge in ends
                for j in edge.joints
                if j.kind != "fixed"
            }
        self._settle()
        self.graph = LinkGraph((), tuple(self._joints()), self._carrier(self.root.top)[0], floating=self._floating())
        exact = {name: body for g in self.groups for name, body in g.exact.items()}
        bodies = {name: body for g in self.groups for name, body in g.bodies.items()}
        name = undetermined(self.graph, bodies | exact) if exact else ""
        if not name:
            return {}
        edge = next(e for e in self.tree.edges if any(j.name == name for j in e.joints))
        return {name: (edge.where, f"a joint that turns or shifts no inertia (link {shown(edge.child)})")}

    def _settle(self) -> None:
        for group in self.groups:
            settle(self.tree, group, self.reading)
            if group in self.empty and group not in self.passed:
                stand_in(group, self.reading, self.tree.links[group.top].where)
            if group.above is None and group is not self.groups[0] and not group.bodies:
                where = self.tree.links[group.top].where
                raise ModelError(f"{where}: moves freely and has no mass; allowed: a mass and an inertia")

    def _carrier(self, name: str) -> tuple[str, Pose]:
        """The link H, or the world, that carries link L, and X_HL."""
        home, X_HL = self.of[name].homes[name]
        return (home if self.of[name].bodies else WORLD), X_HL

    def _joints(self) -> list[Joint]:
        """In the file's order; those in series behind each other."""
        number = {id(edge): i for i, edge in enumerate(self.tree.edges)}
        found: dict[int, list[Joint]] = {}
        for group in self.groups:
            for name in group.bodies:
                edge = self.tree.above.get(name)
                if name != self._carrier(group.top)[0] and edge is not None:
                    found[number[id(edge)]] = self._rehung([edge])
            if group.above is not None and group not in self.passed:
                chain = [group.above]
                while self.of[chain[0].parent] in self.passed:
                    above = self.of[chain[0].parent].above
                    assert above is not None
                    chain.insert(0, above)
                found[number[id(chain[0])]] = self._rehung(chain)
        return [joint for i in sorted(found) for joint in found[i]]

    def _rehung(self, chain: Sequence[Edge]) -> list[Joint]:
        """The joints of edges behind each other, from the carrier of the first parent to that of the last child."""
        parent, child = self._carrier(chain[0].parent)[0], self._carrier(chain[-1].child)[0]
        joints: list[Joint] = []
        for edge in chain:
            X_HP = self._carrier(edge.parent)[1]
            at_carrier = self._carrier(edge.parent)[0] == edge.parent
            for i, j in enumerate(edge.joints):
                moved = j if i or at_carrier else replace(j, X_PJ=X_HP @ j.X_PJ)
                if (j.parent, j.child, j.series) != (parent, child, bool(joints)):
                    moved = replace(moved, parent=parent, child=child, series=bool(joints))
                joints.append(moved)
        if child != chain[-1].child:
            X_HC = self._carrier(chain[-1].child)[1]
            joints[-1] = replace(joints[-1], X_JC=joints[-1].X_JC @ X_HC.inverse())
        return joints

    def _floating(self) -> MappingProxyType[str, Pose]:
        """Of each free group, X_BH of its home in the root's."""
        free = [g for g in self.groups if g.above is None and g not in (self.groups[0], self.root)]
        if not free:
            return MappingProxyType({})
        poses = {self.tree.order[0]: Pose.identity()}
        for name in self.tree.order[1:]:
            edge = self.tree.above[name]
            poses[name] = edge.behind(poses[edge.parent])
        root = self._carrier(self.root.top)[0]
        X_BT = poses[self.root.top if root == WORLD else root].inverse()
        return MappingProxyType({(home := g.homes[g.top][0]): X_BT @ poses[home] for g in free})

    def links(self) -> tuple[Link, ...]:
        """Those that stay, with the shapes and frames of what they carry."""
        found = {name: _Carried() for g in self.groups for name in g.bodies}
        declared = self.tree.links
        told = any(link.touching is not None for link in declared.values())
        for name, link in declared.items():
            home, X_HL = self._carrier(name)
            if home == WORLD or self.of[name] in self.passed:
                self._tell_lost(name)
                continue
            carried = found[home]
            carried.shapes += moved_shapes(link.shapes, X_HL)
            carried.touching += moved_shapes(link.shapes if link.touching is None else link.touching, X_HL)
            carried.frames |= {frame: X_HL @ X_LF for frame, X_LF in link.frames.items()}
            if name != home:
                carried.frames[name] = X_HL
        bodies = {name: body for g in self.groups for name, body in g.bodies.items()}
        return tuple(
            Link(
                name,
                bodies[name].mass,
                bodies[name].p_LLcm,
                bodies[name].I_LLcm_L,
                tuple(found[name].shapes),
                MappingProxyType(found[name].frames),
                touching=tuple(found[name].touching) if told else None,
            )
            for name in declared
            if name in bodies
        )

    def _tell_lost(self, name: str) -> None:
        """Links that no link carries have no frame."""
        where = self.tree.links[name].where
        if self.of[name] in self.passed:
            self.reading.alike("has no mass and moves between joints in series: no frame, and no shapes", where)
        elif not (self.tree.stands and name == WORLD):
            self.reading.alike("has no mass and joints hang from it: it is what the robot stands on", where)

    def ground(self) -> tuple[Shape, ...]:
        """Shapes of what the robot stands on."""
        if self.root.bodies:
            return ()
        return tuple(
            shape
            for name in self.root.members
            for shape in moved_shapes(self.tree.links[name].shapes, self.root.homes[name][1])
        )


class _Carried:
    def __init__(self) -> None:
        self.shapes: list[Shape] = []
        self.touching: list[Shape] = []
        self.frames: dict[str, Pose] = {}


def moved_shapes(shapes: Sequence[Shape], X_HL: Pose) -> list[Shape]:
    return [replace(s, X_LG=X_HL @ s.X_LG) for s in shapes]
