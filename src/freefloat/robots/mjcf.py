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

from freefloat.engine.graph import WORLD, Joint, LinkGraph
from freefloat.errors import ModelError
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape
from freefloat.robots.assembly import DeclaredJoint, DeclaredLink, Inertial, assemble
from freefloat.robots.mjcf_actuators import actuators
from freefloat.robots.mjcf_equalities import check_others, couplings
from freefloat.robots.mjcf_joints import FREE, Joints
from freefloat.robots.mjcf_model import Model
from freefloat.robots.mjcf_posture import CLOSED, closed, posture
from freefloat.robots.mjcf_shapes import Shapes
from freefloat.robots.mjcf_tendons import check_tendons
from freefloat.robots.mjcf_welds import Weld, welded, welds
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
    return replace(graph, notes=tuple(reading.notes), skipped=tuple(reading.skipped), file=source.name)


class _Walk:
    """From a compiled model to its graph."""

    def __init__(self, model: Model) -> None:
        self.model, self.m = model, model.m
        self.shapes, self.joints = Shapes(model), Joints(model)
        self.roots = [b for b in range(1, self.m.nbody) if self.m.body_parentid[b] == 0]

    def graph(self) -> LinkGraph:
        model, reading = self.model, self.model.reading
        if not self.roots:
            raise ModelError(f"{model.source.name}: the world holds no bodies; allowed: at least one")
        self._tell_what_is_read_past()
        held, led = welds(model), couplings(model)
        check_others(model)
        check_tendons(model)
        acting = actuators(model, led)
        lone = self._lone_root(held)
        links = [self._link(b, lone) for b in range(1, self.m.nbody)]
        joints = [j for b in range(1, self.m.nbody) for j in self._ties(b, lone)]
        ground = self._ground(lone)
        graph = assemble(links, joints, model.source.name, reading, tuple(led.values()), acting, ground)
        return self._started(welded(model, graph, held, lone))

    def _started(self, graph: LinkGraph) -> LinkGraph:
        """The graph in the file's own posture, or near to it where its limits and welds do not allow that one."""
        start = posture(self.model, graph)
        other, off = closed(replace(graph, start=start))
        if other and off < CLOSED:
            self.model.reading.note(f"{self.model.source.name}: joints start off their refs, so that the welds close")
            start |= other
        elif off >= CLOSED:
            what = (
                f"the welds do not close at the start by {off:.3g} m or rad: they pull, and the first forces are large"
            )
            self.model.reading.note(f"{self.model.source.name}: {what}")
        return replace(graph, start=start)

    def _tell_what_is_read_past(self) -> None:
        note, name = self.model.reading.note, self.model.source.name
        for attribute, what in _READ_PAST.items():
            if len(getattr(self.model.spec, attribute)):
                note(f"{name}: {len(getattr(self.model.spec, attribute))} {what}")
        if self.m.opt.density or self.m.opt.viscosity:
            note(f"{name}: the forces of a medium (density, viscosity) are left out")
        for flex in self.model.spec.flexes:
            self.model.reading.cannot(self.model.where("flex", flex), "a flexible body", "bodies are rigid")

    def _lone_root(self, held: Sequence[Weld]) -> int:
        """The only root, where it is a link of its own: neither joints nor welds tie it to the world; or 0."""
        b = self.roots[0]
        tied = any(0 in (weld.first, weld.second) for weld in held)
        moves = self.m.body_jntnum[b] and self.m.jnt_type[self.m.body_jntadr[b]] != int(FREE)
        return 0 if len(self.roots) > 1 or tied or moves or self.m.body_mocapid[b] >= 0 else b

    def _link(self, b: int, lone: int) -> DeclaredLink:
        m, model, body = self.m, self.model, self.model.bodies[b]
        name = model.body_names[b]
        where = model.where("body", body, name)
        if m.body_gravcomp[b]:
            model.reading.cannot(where, f"gravcomp = {m.body_gravcomp[b]:g}", "the mission decides on gravity")
        if m.body_mocapid[b] >= 0:
            model.reading.alike("a mocap body stands still where the file puts it", where)
        frames = {model.site_names[int(s.id)]: model.pose("site", int(s.id)) for s in body.sites if s.name}
        seen, touching = self.shapes.of(body)
        inertial = self._inertial(b)
        if inertial is None and not lone and model.stands(b):
            seen = self._touching_only(seen, touching)  # it becomes part of the ground
        return DeclaredLink(name, inertial, where, seen, frames, touching)

    def _inertial(self, b: int) -> Inertial | None:
        if self.m.body_mass[b] == 0.0:
            return None
        X_LI = Pose.from_quat(self.m.body_iquat[b], self.m.body_ipos[b])
        turned = X_LI.R @ np.diag(self.m.body_inertia[b]) @ X_LI.R.T
        return Inertial(float(self.m.body_mass[b]), X_LI.p, 0.5 * (turned + turned.T))

    def _ties(self, b: int, lone: int) -> list[DeclaredJoint]:
        """What a body hangs from; nothing where it is the only root."""
        name, where = self.model.body_names[b], self.model.where("body", self.model.bodies[b])
        made = self.joints.of(b)
        if b == lone:
            return []
        if not made:
            return [DeclaredJoint(Joint(f"{name}_free", "fixed", WORLD, name, self.model.pose("body", b)), where, True)]
        return [DeclaredJoint(j, where) for j in made]

    def _ground(self, lone: int) -> tuple[Shape, ...]:
        """Shapes of the world, in the axes of the lone root where there is one."""
        world = self.model.bodies[0]
        if world.sites:
            sites = [s.name or "one without a name" for s in world.sites]
            self.model.reading.note(f"sites of the world are left out: {_some(sites)}")
        found = self._touching_only(*self.shapes.of(world))
        X_LW = self.model.pose("body", lone).inverse() if lone else Pose.identity()
        return tuple(replace(s, X_LG=X_LW @ s.X_LG) for s in found)

    def _touching_only(self, seen: Sequence[Shape], touching: Sequence[Shape]) -> tuple[Shape, ...]:
        """What the ground takes of shapes, as all of its own touch."""
        left = [s.name or s.kind for s in seen if s not in touching]
        if left:
            note = "shapes of the world, or of massless bodies in it, that touch nothing are left out"
            self.model.reading.note(f"{note}: {_some(left)}")
        return tuple(touching)


def _some(names: Sequence[str]) -> str:
    listed = [shown(name) for name in names]
    return ", ".join(listed[:5]) + (f" and {len(listed) - 5} more" if len(listed) > 5 else "")
