"""Robots from MJCF, MuJoCo's own format: MuJoCo parses and compiles, we walk the bodies.

docs/reference/robot-files.md tells what is read and how. In short: bodies with their compiled inertia, joints (several
of a body are in series), actuators on joints, welds and joint equalities, named sites as frames, geoms as shapes. The
world's geoms are the ground; several roots, or one that joints tie to the world, stand on it.

Left to the mission without a note: option, size, visual, statistic, lights, cameras, custom data, and all parameters of
contacts and of the solver.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from freefloat.engine.graph import WORLD, Joint, Link, LinkGraph
from freefloat.errors import ModelError
from freefloat.frames import Pose
from freefloat.robots.assembly import DeclaredJoint, DeclaredLink, Inertial, assemble
from freefloat.robots.mjcf_actuators import actuators
from freefloat.robots.mjcf_equalities import Weld, check_others, couplings, welds
from freefloat.robots.mjcf_joints import FREE, Joints, expanded
from freefloat.robots.mjcf_model import Model
from freefloat.robots.mjcf_shapes import Shapes
from freefloat.robots.mjcf_tendons import check_tendons
from freefloat.robots.reading import Reading, Unsupported
from freefloat.robots.xmltree import read_source, shown

_READ_PAST = {  # lists of the parsed model: what a user may miss
    "sensors": "sensors are parts of the mission",
    "keys": "keyframes are not read: the mission says where joints start",
    "pairs": "contact pairs: contacts belong to the mission",
    "skins": "skins are not drawn",
}


def load_mjcf(path_or_text: str | Path, unsupported: Unsupported = "refuse", balance: bool = False) -> LinkGraph:
    """The robot of an MJCF file, or of MJCF text (which starts with '<').

    Bodies without a name are called body1, body2, ... by their number in MuJoCo's order; a joint without one is called
    after its body, as BODY_joint. A massless body without joints becomes a named frame, as in `load_urdf`. What cannot
    be modelled is refused, or with `unsupported="skip"` left out and listed in `skipped`. With `balance`, given
    inertias may miss the triangle inequality by 5 %.

    Raises `ModelError` with all problems, a line for each; with MuJoCo's own message where it refuses the model.
    """
    reading = Reading(unsupported, balance)
    graph = None
    with reading.collecting():
        source = read_source(path_or_text)
        graph = _Walk(Model(source, reading)).graph()
    reading.finish()
    assert graph is not None
    return replace(
        graph, notes=(*graph.notes, *reading.notes), skipped=(*graph.skipped, *reading.skipped), file=source.name
    )


class _Walk:
    """From a compiled model to its graph."""

    def __init__(self, model: Model) -> None:
        self.model, self.m = model, model.m
        self.shapes, self.joints = Shapes(model), Joints(model)
        self.roots = [b for b in range(1, self.m.nbody) if self.m.body_parentid[b] == 0]
        self.free = {b for b in self.roots if any(j.type == FREE for j in model.bodies[b].joints)}
        self.series: dict[str, list[Joint]] = {}  # first joint -> all of a body's

    def graph(self) -> LinkGraph:
        model, reading = self.model, self.model.reading
        if not self.roots:
            raise ModelError(f"{model.source.name}: the world holds no bodies; allowed: at least one")
        self._tell_what_is_read_past()
        links = {b: self._link(b) for b in range(1, self.m.nbody)}
        joints = {b: self._joints(b) for b in range(1, self.m.nbody)}
        held, led = welds(model), couplings(model)
        check_others(model)
        check_tendons(model)
        acting = actuators(model, led)
        reading.finish()
        ground = self._ground()
        one = self._lone_root(links, held)
        if one:
            graph = self._tree(one, links, joints)
            graph = replace(graph, ground=ground.touching or ())
        else:
            graph = self._standing(links, joints, ground)
        graph = self._welded(graph, held)
        return replace(graph, couplings=tuple(led.values()), actuators=acting)

    def _tell_what_is_read_past(self) -> None:
        note, name = self.model.reading.note, self.model.source.name
        for attribute, what in _READ_PAST.items():
            if len(getattr(self.model.spec, attribute)):
                note(f"{name}: {len(getattr(self.model.spec, attribute))} {what}")
        if self.m.opt.density or self.m.opt.viscosity:
            note(f"{name}: the forces of a medium (density, viscosity) are left out")
        for flex in self.model.spec.flexes:
            self.model.reading.cannot(self.model.where("flex", flex), "a flexible body", "bodies are rigid")

    def _lone_root(self, links: dict[int, DeclaredLink], held: Sequence[Weld]) -> int:
        """The only root, where it can be a link of its own: neither joints nor welds tie it to the world; or 0."""
        b = self.roots[0]
        tied = any(0 in (weld.first, weld.second) for weld in held) or self.m.body_mocapid[b] >= 0
        if len(self.roots) != 1 or tied or (self.m.body_jntnum[b] and b not in self.free):
            return 0
        carrier = b
        while links[carrier].inertial is None:  # a massless base can be a frame of the one link fixed to it
            below = [c for c in range(1, self.m.nbody) if self.m.body_parentid[c] == carrier]
            if len(below) != 1 or self.m.body_jntnum[below[0]]:
                return b if b in self.free else 0
            carrier = below[0]
        return b

    def _link(self, b: int) -> DeclaredLink:
        m, model, body = self.m, self.model, self.model.bodies[b]
        name = model.body_names[b]
        where = model.where("body", body, name)
        if m.body_gravcomp[b]:
            model.reading.cannot(where, f"gravcomp = {m.body_gravcomp[b]:g}", "the mission decides on gravity")
        if m.body_mocapid[b] >= 0:
            model.reading.note(f"{where}: a mocap body stands still where the file puts it")
        frames = {model.site_names[int(s.id)]: model.pose("site", int(s.id)) for s in body.sites if s.name}
        seen, touching = self.shapes.of(body)
        return DeclaredLink(name, self._inertial(b, where), where, seen, frames, touching)

    def _inertial(self, b: int, where: str) -> Inertial | None:
        mass = float(self.m.body_mass[b])
        if mass == 0.0:
            return None
        if not mass > 0.0:
            raise ModelError(f"{where}: mass = {mass:g}; allowed: finite numbers > 0 [kg]")
        X_LI = Pose.from_quat(self.m.body_iquat[b], self.m.body_ipos[b])
        turned = X_LI.R @ np.diag(self.m.body_inertia[b]) @ X_LI.R.T
        inertial = Inertial(mass, X_LI.p, 0.5 * (turned + turned.T))
        try:
            return inertial.checked(where)
        except ModelError as error:
            if self.m.body_weldid[b] != 0:
                raise
            self.model.reading.note(f"{error}: as it never moves, it is taken as massless")
            return None

    def _joints(self, b: int) -> list[DeclaredJoint]:
        """The joint that ties a body to its parent: of a series the first, which `expanded` completes."""
        made = self.joints.of(b)
        if len(made) > 1:
            self.series[made[0].name] = made
        return [DeclaredJoint(j, self.model.where("body", self.model.bodies[b])) for j in made[:1]]

    def _tree(
        self, root: int, links: dict[int, DeclaredLink], joints: dict[int, list[DeclaredJoint]], extra: Sequence[int] = ()
    ) -> LinkGraph:
        """All that hangs from a root and from `extra` ones; 0 is the world, whose link is `links[0]`."""
        roots = {root, *extra}
        members = [b for b in sorted(links) if b in roots or int(self.m.body_rootid[b]) in roots]
        ties = [j for b in members if b != root for j in joints[b]]
        graph = assemble([links[b] for b in members], ties, self.model.source.name)
        made = [one for j in graph.joints for one in expanded(j, self.series.get(j.name, [j]))]
        return replace(graph, joints=tuple(made))

    def _ground(self) -> DeclaredLink:
        world = self.model.bodies[0]
        seen, touching = self.shapes.of(world)
        left = [s.name or s.kind for s in seen if s not in touching]
        if left:
            self.model.reading.note(f"shapes of the world that touch nothing are left out: {_some(left)}")
        if world.sites:
            sites = [s.name or "one without a name" for s in world.sites]
            self.model.reading.note(f"sites of the world are left out: {_some(sites)}")
        heavy = Inertial(1.0, np.zeros(3), np.eye(3))  # so that it stays a link while the trees are assembled
        return DeclaredLink(WORLD, heavy, self.model.source.name, seen, {}, touching)

    def _standing(
        self, links: dict[int, DeclaredLink], joints: dict[int, list[DeclaredJoint]], ground: DeclaredLink
    ) -> LinkGraph:
        """Everything that the world carries, and the trees that float beside it."""
        carried = [b for b in self.roots if b not in self.free]
        whole = self._tree(0, {0: ground, **links}, {0: [], **joints}, carried)
        world = next(link for link in whole.links if link.name == WORLD)
        self.world_frames = dict(world.frames)
        if world.frames:
            self.model.reading.note(
                f"frames of what the robot stands on, massless bodies among them, are left out: {_some(world.frames)}"
            )
        parts = [replace(whole, links=tuple(link for link in whole.links if link is not world))]
        floating: dict[str, Pose] = {}
        for b in sorted(self.free):
            part = self._tree(b, links, joints)
            floating[part.root] = self.model.pose("body", b) @ _place(part.links, links[b].name)[1].inverse()
            parts.append(part)
        return LinkGraph(
            tuple(link for part in parts for link in part.links),
            tuple(joint for part in parts for joint in part.joints),
            WORLD,
            ground=world.contact_shapes,
            floating=floating,
            notes=tuple(note for part in parts for note in part.notes),
            skipped=tuple(one for part in parts for one in part.skipped),
        )

    def _welded(self, graph: LinkGraph, held: Sequence[Weld]) -> LinkGraph:
        return graph


def _place(links: Sequence[Link], name: str) -> tuple[str, Pose]:
    """The link that a body became or that carries it, and X_LB."""
    for link in links:
        if link.name == name:
            return name, Pose.identity()
        if name in link.frames:
            return link.name, link.frames[name]
    return "", Pose.identity()


def _some(names: Sequence[str] | dict[str, Pose]) -> str:
    listed = [shown(name) for name in names]
    return ", ".join(listed[:5]) + (f" and {len(listed) - 5} more" if len(listed) > 5 else "")
