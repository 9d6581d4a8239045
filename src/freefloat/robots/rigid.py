"""Links that fixed joints tie together move as one: which of them stays a link, and what mass it has.

Massive links stay, with the fixed joints between them. Links without mass become frames of one that stays, links whose
inertia is no full tensor become part of it: their mass at their centre of mass, and what tensor they have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from freefloat.frames import Pose
from freefloat.robots.declared import DeclaredLink, Edge, Tree
from freefloat.robots.inertial import BALANCED, SMALLEST_MASS, SMALLEST_MOMENT, Inertial
from freefloat.robots.reading import Reading
from freefloat.robots.xmltree import shown


@dataclass
class Group:
    """Links that move as one, the one nearest to the root first."""

    members: list[str]
    above: Edge | None  # the joints that it hangs from; None: it is the root, or free
    homes: dict[str, tuple[str, Pose]] = field(default_factory=dict)  # link L -> (link H that carries it, X_HL)
    bodies: dict[str, Inertial] = field(default_factory=dict)  # of the links that stay
    exact: dict[str, Inertial] = field(default_factory=dict)  # of those that had to be thickened, what they were

    @property
    def top(self) -> str:
        return self.members[0]


def groups(tree: Tree) -> list[Group]:
    """All groups in tree order; what hangs from the world by a fixed joint is one of its own if it has mass."""
    found: dict[str, Group] = {}
    for name in tree.order:
        edge = tree.above.get(name)
        if edge is not None and edge.rigid:
            parent = found[edge.parent]
            on_world = tree.stands and parent is found[tree.order[0]]
            if not (on_world and tree.links[name].massive):
                parent.members.append(name)
                found[name] = parent
                continue
        found[name] = Group([name], None if edge is None or edge.free else edge)
    return list({id(group): group for group in found.values()}.values())


def has_mass(tree: Tree, group: Group) -> bool:
    return any(tree.links[name].massive for name in group.members)


def settle(tree: Tree, group: Group, reading: Reading) -> None:
    """Find the home of every member and the mass of every home; a group without mass has its top as home."""
    declared = {name: _declared(tree.links[name], reading) for name in group.members}
    full = [name for name, own in declared.items() if own is not None and own.mass > 0.0 and own.grade == "full"]
    if full:
        _homes(tree, group, set(full), _nearest(tree, group, full))
    else:
        first = next((name for name in group.members if tree.links[name].massive), group.top)
        _homes(tree, group, {first}, first)
        full = [first] if tree.links[first].massive else []
    for name in group.members if not full else ():
        if declared[name] is not None:
            _without_mass(tree.links[name], group, reading)
    for home in full:
        group.bodies[home] = _gathered(tree, group, home, declared, reading)


def _without_mass(link: DeclaredLink, group: Group, reading: Reading) -> None:
    """An inertia without mass stands still at the root; a joint that moves it has no place for it."""
    if group.above is None:
        reading.note(f"{link.where}/inertial: has no mass: its inertia is left out")
    else:
        reading.cannot(f"{link.where}/inertial", "an inertia without mass", "give a mass, or no inertia")


def _nearest(tree: Tree, group: Group, full: list[str]) -> str:
    """The home of the top: the heaviest of the massive links that only massless ones part from it."""
    if group.top in full:
        return group.top
    reached = {group.top}
    for name in group.members[1:]:
        if tree.above[name].parent in reached and name not in full:
            reached.add(name)
    near = [name for name in full if tree.above[name].parent in reached]
    return max(near, key=lambda name: tree.links[name].inertial.mass)  # pyright: ignore[reportOptionalMemberAccess]


def _declared(link: DeclaredLink, reading: Reading) -> Inertial | None:
    """What the file says, if some body could be part of it."""
    own = link.inertial
    if own is None or own.grade != "negative":
        return own
    what, instead = f"an inertia with a negative moment ({own.told})", own.balanced()
    reading.cannot(f"{link.where}/inertial", what, "correct the inertia", f"taken as {instead.told}")
    return instead


def _homes(tree: Tree, group: Group, staying: set[str], first: str) -> None:
    """Towards the root where a link that stays is there, else the first below."""
    poses = {group.top: Pose.identity()}  # X_TL
    for name in group.members[1:]:
        edge = tree.above[name]
        poses[name] = edge.behind(poses[edge.parent])
    for name in group.members:
        if name in staying:
            group.homes[name] = (name, Pose.identity())
        elif name == group.top:
            group.homes[name] = (first, poses[first].inverse())
        else:
            home, X_HP = group.homes[tree.above[name].parent]
            group.homes[name] = (home, tree.above[name].behind(X_HP))


def _gathered(
    tree: Tree, group: Group, home: str, declared: Mapping[str, Inertial | None], reading: Reading
) -> Inertial:
    """The home's mass with all that is merged into it."""
    link, total = tree.links[home], declared[home]
    assert total is not None
    for name in group.members:
        own, (at, X_HL) = declared[name], group.homes[name]
        if at != home or name == home or own is None:
            continue
        total = total.plus(own.moved(X_HL))
        what = f"{own.mass:.4g} kg with {_lack(own)}"
        reading.note(f"{tree.links[name].where}: {what}: merged into link {shown(home)}, which it is fixed to")
    total = _possible(total, f"{link.where}/inertial", reading)
    if total.grade == "thin":
        group.exact[home] = total
        reading.note(f"{link.where}/inertial: {total.told}: what is below {SMALLEST_MOMENT:g} is taken as that")
        return total.thickened()
    return total


def _lack(own: Inertial) -> str:
    if own.mass == 0.0:
        return f"an inertia of its own ({own.told})"
    if own.grade == "thin":
        return "no inertia" if own.moments[2] < SMALLEST_MOMENT else f"no moment about an axis ({own.told})"
    return f"an inertia that no body has by itself ({own.told})"


def _possible(total: Inertial, where: str, reading: Reading) -> Inertial:
    """The inertia, or the nearest possible one where that is asked for."""
    if total.grade == "triangle" and total.miss < BALANCED and reading.balance:
        balanced = total.balanced()
        reading.note(
            f"{where}: {total.told} miss the triangle inequality by {total.miss:.2%}: taken as {balanced.told}"
        )
        total = balanced
    elif total.grade == "triangle":
        remedy = "correct the inertia" + (", or have it balanced with balance=true" if total.miss < BALANCED else "")
        what = f"an inertia whose largest principal moment exceeds the sum of the other two by {total.miss:.2%} of it"
        balanced = total.balanced()
        reading.cannot(where, f"{what} ({total.told})", remedy, f"taken as {balanced.told}")
        total = balanced
    elif total.grade == "negative":
        what, balanced = f"an inertia with a negative moment ({total.told})", total.balanced()
        reading.cannot(where, what, "correct the inertia", f"taken as {balanced.told}")
        total = balanced
    return total


def stand_in(group: Group, reading: Reading, where: str) -> None:
    """Let a group without mass, from which several joints hang, stay as a link with next to no mass."""
    nothing = Inertial(0.0, np.zeros(3), np.zeros((3, 3)))
    group.exact[group.top], group.bodies[group.top] = nothing, nothing.thickened()
    reading.note(f"{where}: has no mass and several joints hang from it: taken as {SMALLEST_MASS:g} kg")
