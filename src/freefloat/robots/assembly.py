"""From links and joints as a file declares them to a `LinkGraph`: names, one root, no loops, massless links folded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from freefloat.engine.graph import Joint, Link, LinkGraph
from freefloat.errors import InputError, ModelError
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape
from freefloat.inertia import check_inertia
from freefloat.robots.xmltree import shown

SMALLEST_MOMENT = 1e-14  # [kg m^2] MuJoCo refuses 1e-15 and below


@dataclass(frozen=True)
class Inertial:
    """Mass properties in the axes of link L."""

    mass: float  # [kg]
    p_LLcm: NDArray[np.float64]  # [m]
    I_LLcm_L: NDArray[np.float64]  # [kg m^2], (3, 3)

    def checked(self, where: str) -> Inertial:
        """Itself, unless no rigid body has such an inertia."""
        try:
            check_inertia(self.I_LLcm_L)
        except InputError as e:
            raise ModelError(f"{where}: {e}") from None
        low = float(np.linalg.eigvalsh(self.I_LLcm_L)[0])
        if low < SMALLEST_MOMENT:
            raise ModelError(f"{where}: principal moment {low:.6g} is too small; allowed: >= {SMALLEST_MOMENT} kg m^2")
        return self


@dataclass(frozen=True)
class DeclaredLink:
    """A link as its file has it; without `inertial` it can only become a named frame."""

    name: str
    inertial: Inertial | None
    where: str  # starts the message about it
    shapes: tuple[Shape, ...] = ()
    frames: Mapping[str, Pose] = field(default_factory=lambda: MappingProxyType({}))  # name -> X_LF
    touching: tuple[Shape, ...] | None = None  # None: the file does not tell


@dataclass(frozen=True)
class DeclaredJoint:
    joint: Joint
    where: str


def assemble(links: Sequence[DeclaredLink], joints: Sequence[DeclaredJoint], where: str) -> LinkGraph:
    """The graph of one robot, links and joints in the file's order. `where` starts messages about the whole.

    A link without mass becomes a frame of the massive link that fixed joints tie it to; its shapes move along. A
    massless root is allowed where a chain of single fixed joints leads to a massive link, which is then the root.
    Where no link tells what it touches with, none is told.
    """
    check_unique("link", [(link.name, link.where) for link in links])
    check_unique("joint", [(j.joint.name, j.where) for j in joints])
    tree = _Tree(links, joints, where)
    homes = tree.homes()
    root = homes[tree.order[0]][0]
    kept = [_rehung(j.joint, homes) for j in joints if homes[j.joint.child][0] == j.joint.child != root]
    graph = LinkGraph(_folded(links, homes), tuple(kept), root)
    check_unique("frame", [(name, where) for link in graph.links for name in link.frames])
    return graph


def check_unique(kind: str, named: Sequence[tuple[str, str]]) -> None:
    """Refuse the second of two equal names; `named` holds (name, where)."""
    seen: set[str] = set()
    for name, where in named:
        if name in seen:
            raise ModelError(f"{where}: second {kind} named {shown(name)}; allowed: each name once")
        seen.add(name)


class _Tree:
    """The declared links in tree order (parents first), after the checks that they are one tree."""

    def __init__(self, links: Sequence[DeclaredLink], joints: Sequence[DeclaredJoint], where: str) -> None:
        self.links = {link.name: link for link in links}
        self.above: dict[str, DeclaredJoint] = {}
        self.below: dict[str, list[DeclaredJoint]] = {link.name: [] for link in links}
        for j in joints:
            if j.joint.child in self.above:
                first = self.above[j.joint.child].joint
                raise ModelError(
                    f"{j.where}: link {shown(j.joint.child)} already hangs from {shown(first.parent)} by joint"
                    f" {shown(first.name)}; allowed: one parent for each link"
                )
            self.above[j.joint.child] = j
            self.below[j.joint.parent].append(j)
        self.order = self._order(where)

    def _order(self, where: str) -> list[str]:
        roots = [name for name in self.links if name not in self.above]
        if len(roots) > 1:
            some = ", ".join(shown(name) for name in roots[:5]) + (", ..." if len(roots) > 5 else "")
            raise ModelError(f"{where}: {len(roots)} links have no parent ({some}); allowed: exactly one root")
        order = list(roots)
        for name in order:  # grows while it is read
            order.extend(j.joint.child for j in self.below[name])
        lost = self.links.keys() - set(order)
        if lost:
            j = next(j for name, j in self.above.items() if name in lost)
            raise ModelError(f"{j.where}: closes a loop of links; allowed: a tree with exactly one root")
        if not order:
            raise ModelError(f"{where}: has no links; allowed: at least one link")
        return order

    def homes(self) -> dict[str, tuple[str, Pose]]:
        """For each link L the massive link H that carries it, and X_HL."""
        found = self._root_homes()
        for name in self.order:
            if name in found:
                continue
            if self.links[name].inertial is not None:
                found[name] = (name, Pose.identity())
                continue
            joint = self.above[name].joint
            self._check_massless(name, [self.above[name], *self.below[name]])
            home, X_HP = found[joint.parent]
            found[name] = (home, X_HP @ joint.X_PJ @ joint.X_JC)
        return found

    def _root_homes(self) -> dict[str, tuple[str, Pose]]:
        path = [self.order[0]]
        while self.links[path[-1]].inertial is None:
            below = self.below[path[-1]]
            self._check_massless(path[-1], below)
            if len(below) != 1:
                raise ModelError(
                    f"{self.links[path[-1]].where}: the root has no mass and {len(below)} links hang from it; allowed:"
                    " a root with mass, or a massless one with one fixed joint to a link with mass"
                )
            path.append(below[0].joint.child)
        X_HL, found = Pose.identity(), {path[-1]: (path[-1], Pose.identity())}
        for child, name in zip(path[:0:-1], path[-2::-1], strict=True):
            joint = self.above[child].joint
            X_HL = X_HL @ (joint.X_PJ @ joint.X_JC).inverse()
            found[name] = (path[-1], X_HL)
        return found

    def _check_massless(self, name: str, joints: Sequence[DeclaredJoint]) -> None:
        for j in joints:
            if j.joint.kind != "fixed":
                raise ModelError(
                    f"{self.links[name].where}: has no mass but the {j.joint.kind} joint {shown(j.joint.name)} moves it"
                    " or hangs from it; allowed: a mass, or fixed joints only (the link is then a named frame)"
                )


def _rehung(joint: Joint, homes: Mapping[str, tuple[str, Pose]]) -> Joint:
    home, X_HP = homes[joint.parent]
    return joint if home == joint.parent else replace(joint, parent=home, X_PJ=X_HP @ joint.X_PJ)


def _folded(links: Sequence[DeclaredLink], homes: Mapping[str, tuple[str, Pose]]) -> tuple[Link, ...]:
    shapes: dict[str, list[Shape]] = {link.name: [] for link in links}
    touching: dict[str, list[Shape]] = {link.name: [] for link in links}
    told = any(link.touching is not None for link in links)
    frames: dict[str, dict[str, Pose]] = {link.name: {} for link in links}
    for link in links:
        home, X_HL = homes[link.name]
        shapes[home] += _moved(link.shapes, X_HL)
        touching[home] += _moved(link.shapes if link.touching is None else link.touching, X_HL)
        frames[home] |= {name: X_HL @ X_LF for name, X_LF in link.frames.items()}
        if link.inertial is None:
            frames[home][link.name] = X_HL
    return tuple(
        Link(
            link.name,
            link.inertial.mass,
            _read_only(link.inertial.p_LLcm),
            _read_only(link.inertial.I_LLcm_L),
            tuple(shapes[link.name]),
            MappingProxyType(frames[link.name]),
            touching=tuple(touching[link.name]) if told else None,
        )
        for link in links
        if link.inertial is not None
    )


def _moved(shapes: Sequence[Shape], X_HL: Pose) -> list[Shape]:
    return [replace(s, X_LG=X_HL @ s.X_LG) for s in shapes]


def _read_only(a: NDArray[np.float64]) -> NDArray[np.float64]:
    b = np.array(a, dtype=np.float64)
    b.flags.writeable = False
    return b
