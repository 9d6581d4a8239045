"""Robots from MJCF, MuJoCo's own format: MuJoCo parses and compiles, we walk the bodies.

Read: bodies with their compiled inertia, one hinge or slide joint each (range, actuatorfrcrange, ref, damping,
stiffness, springref, armature, frictionloss), named sites as frames, and geoms: those of the groups 0 to 2 (which
MuJoCo shows) are seen, those of any group touch unless both their contype and their conaffinity are 0. A geom that is
neither is dropped.

Ignored on purpose, since the mission decides about it: option (gravity among it), size, visual, statistic, lights,
cameras, sensors, keyframes, custom data, skins, the root's pose in the world and its free joint, and all contact and
solver parameters (bits of contype and conaffinity, friction, solref, margin, contact exclusions, ...).

Refused by name: actuators, equalities, tendons, contact pairs, flexes, plugins, ball joints, two joints in a body, a
root tied to the world, geoms and sites of the world, polynomial springs and dampers, springs that yield, gravity
compensation, mocap bodies, adhesion, moving surfaces, and shapes other than ours.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from freefloat.engine.graph import Joint, JointKind, LinkGraph
from freefloat.errors import ModelError
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape
from freefloat.robots.assembly import DeclaredJoint, DeclaredLink, Inertial, assemble
from freefloat.robots.attributes import LARGEST, NAME_RULE, is_name
from freefloat.robots.xmltree import Element, Source, parse, read_source, shown

mj: Any = mujoco  # the compiled names have no stubs

_FREE, _BALL = mj.mjtJoint.mjJNT_FREE, mj.mjtJoint.mjJNT_BALL
_KINDS: dict[int, JointKind] = {
    int(mj.mjtJoint.mjJNT_HINGE): "revolute",
    int(mj.mjtJoint.mjJNT_SLIDE): "prismatic",
}
_GEOM_DEFAULT_RGBA = (0.5, 0.5, 0.5, 1.0)
_SHOWN_GROUPS = 3
_NUMBERS = (  # arrays of the compiled model that the graph takes over
    *("body_pos", "body_ipos", "body_mass", "body_inertia", "geom_pos", "geom_size", "site_pos", "mesh_pos"),
    *(
        "jnt_pos",
        "jnt_range",
        "jnt_stiffness",
        "qpos0",
        "qpos_spring",
        "dof_damping",
        "dof_armature",
        "dof_frictionloss",
    ),
)
_REFUSED = {  # lists of the parsed model: (name for people, what to do)
    "actuators": ("actuator", "use a drive or a command of the mission"),
    "equalities": ("equality", "use a connection of the mission"),
    "tendons": ("tendon", "use a drive or an effect of the mission"),
    "pairs": ("pair", "contacts belong to the mission"),
    "flexes": ("flex", "bodies are rigid"),
}


def load_mjcf(path_or_text: str | Path) -> LinkGraph:
    """The robot of an MJCF file, or of MJCF text (which starts with '<'): the one body that the world holds.

    Bodies without a name are called body1, body2, ... by their number in MuJoCo's order; a joint without one is called
    after its body, as BODY_joint. A massless body without joints becomes a named frame, as in `load_urdf`.

    Raises `ModelError`, with MuJoCo's own message where it refuses the model.
    """
    return _Walk(read_source(path_or_text)).graph()


class _Walk:
    """One model, as MuJoCo parsed it (`spec`) and compiled it (`m`); both number their elements alike."""

    def __init__(self, source: Source) -> None:
        self.source = source
        tree = parse(source, "mujoco")
        _refuse_elements(tree)
        self.lines_are_ours = not _has_include(tree)  # MuJoCo's line numbers do not say which file they mean
        self.spec = self._mujoco(lambda: _parsed(source))
        self._refuse_lists()
        self.spec.compiler.fusestatic = False
        self.spec.compiler.discardvisual = False
        for joint in self.spec.joints:
            joint.align = mj.mjtAlignFree.mjALIGNFREE_FALSE  # L stays where the file puts it
        self.m = self._mujoco(self.spec.compile)
        if self.m.nplugin:
            raise ModelError(f"{source.name}: plugin: not supported; allowed: no plugin")
        self._check_numbers()
        self.bodies = sorted(self.spec.bodies, key=lambda body: body.id)
        self.meshes = {int(mesh.id): mesh for mesh in self.spec.meshes}

    def _mujoco(self, call: Callable[[], Any]) -> Any:
        try:
            return call()
        except (ValueError, RuntimeError, mj.FatalError) as e:
            raise ModelError(f"{self.source.name}: MuJoCo refuses the model: {_one_line(str(e))}") from None

    def _check_numbers(self) -> None:
        for field in _NUMBERS:
            values = np.ravel(getattr(self.m, field))
            bad = values[~(np.abs(values) <= LARGEST)]  # a NaN compares as false
            if bad.size:
                raise ModelError(
                    f"{self.source.name}: {field} holds {bad[0]:g}; allowed: numbers from {-LARGEST:g} to {LARGEST:g}"
                )

    def _where(self, tag: str, name: str, item: Any) -> str:
        line = re.search(r"line (\d+)", str(item.info)) if self.lines_are_ours else None
        return f"{self.source.name}:{f'{line[1]}:' if line else ''} <{tag} name={shown(name)}>"

    def _refuse_lists(self) -> None:
        for attribute, (tag, remedy) in _REFUSED.items():
            for item in getattr(self.spec, attribute):
                raise ModelError(f"{self._where(tag, item.name, item)}: not supported: {remedy}; allowed: no {tag}")

    def graph(self) -> LinkGraph:
        self._check_world()
        links = [self._link(i) for i in range(1, self.m.nbody)]
        joints = [self._joint(i) for i in range(2, self.m.nbody)]
        return assemble(links, joints, self.source.name)

    def _check_world(self) -> None:
        world = self.bodies[0]
        for tag, items in (("geom", world.geoms), ("site", world.sites)):
            if items:
                raise ModelError(
                    f"{self._where(tag, items[0].name, items[0])}: stands in the world; allowed: in bodies"
                )
        roots = [b for b in range(1, self.m.nbody) if self.m.body_parentid[b] == 0]
        if len(roots) != 1:
            names = ", ".join(shown(self._body_name(b)) for b in roots[:5]) or "none"
            raise ModelError(f"{self.source.name}: the world holds {len(roots)} bodies ({names}); allowed: exactly one")
        for joint in self.bodies[roots[0]].joints:
            where = self._where("joint", joint.name, joint)
            if joint.type != _FREE:
                raise ModelError(f"{where}: ties the root to the world; allowed: a free joint or none")
            dof = int(self.m.jnt_dofadr[joint.id])
            if self.m.jnt_stiffness[joint.id] or self.m.dof_damping[dof] or self.m.dof_armature[dof]:
                raise ModelError(f"{where}: stiffness, damping or armature of a free joint; allowed: 0")
            if self.m.dof_frictionloss[dof]:
                raise ModelError(f"{where}: frictionloss of a free joint; allowed: 0")

    def _name(self, tag: str, item: Any, default: str) -> str:
        name = item.name or default
        if not is_name(name):
            raise ModelError(f"{self._where(tag, name, item)}: not a name; allowed: {NAME_RULE}")
        return name

    def _body_name(self, b: int) -> str:
        return self._name("body", self.bodies[b], f"body{b}")

    def _link(self, b: int) -> DeclaredLink:
        m, body = self.m, self.bodies[b]
        name = self._body_name(b)
        where = self._where("body", name, body)
        if m.body_gravcomp[b]:
            raise ModelError(f"{where}: gravcomp = {m.body_gravcomp[b]:g}; allowed: 0 (the mission decides on gravity)")
        if m.body_mocapid[b] >= 0:
            raise ModelError(f"{where}: mocap body; allowed: bodies that move by joints")
        frames = {
            self._name("site", s, ""): Pose.from_quat(m.site_quat[s.id], m.site_pos[s.id]) for s in body.sites if s.name
        }
        seen, touching = self._shapes(body)
        return DeclaredLink(name, self._inertial(b, where), where, seen, frames, touching)

    def _inertial(self, b: int, where: str) -> Inertial | None:
        mass = float(self.m.body_mass[b])
        if mass == 0.0:
            return None
        if not (math.isfinite(mass) and mass > 0.0):
            raise ModelError(f"{where}: mass = {mass:g}; allowed: finite numbers > 0 [kg]")
        X_LI = Pose.from_quat(self.m.body_iquat[b], self.m.body_ipos[b])
        turned = X_LI.R @ np.diag(self.m.body_inertia[b]) @ X_LI.R.T
        return Inertial(mass, X_LI.p, 0.5 * (turned + turned.T)).checked(where)

    def _joint(self, b: int) -> DeclaredJoint:
        m, body = self.m, self.bodies[b]
        name, parent = self._body_name(b), self._body_name(int(m.body_parentid[b]))
        X_PC = Pose.from_quat(m.body_quat[b], m.body_pos[b])
        if not body.joints:
            fixed = Joint(f"{name}_joint", "fixed", parent, name, X_PC)
            return DeclaredJoint(fixed, self._where("body", name, body))
        item = body.joints[0]
        own = self._name("joint", item, f"{name}_joint")
        where = self._where("joint", own, item)
        if len(body.joints) > 1:
            raise ModelError(f"{where}: one of {len(body.joints)} joints of body {shown(name)}; allowed: one per body")
        if item.type == _BALL:
            raise ModelError(f"{where}: ball joint; allowed: hinge, slide")
        return DeclaredJoint(self._moving(item, own, parent, name, X_PC, where), where)

    def _moving(self, item: Any, own: str, parent: str, child: str, X_PC: Pose, where: str) -> Joint:
        """MuJoCo turns by q - ref about `pos` in the body's frame; X_JC takes the -ref and the way back from `pos`."""
        m, j = self.m, int(item.id)
        dof, qpos = int(m.jnt_dofadr[j]), int(m.jnt_qposadr[j])
        for what, value in (
            ("springyield", m.jnt_springyield[j]),
            ("stiffness of second or third order", np.abs(m.jnt_stiffnesspoly[j]).max()),
            ("damping of second or third order", np.abs(m.dof_dampingpoly[dof]).max()),
        ):
            if value:
                raise ModelError(f"{where}: {what} = {value:g} is not supported yet: use a drive; allowed: 0")
        for what, value in (
            ("damping", m.dof_damping[dof]),
            ("stiffness", m.jnt_stiffness[j]),
            ("armature", m.dof_armature[dof]),
            ("frictionloss", m.dof_frictionloss[dof]),
        ):
            if value < 0.0:
                raise ModelError(f"{where}: {what} = {value:g}; allowed: numbers >= 0")
        kind, axis, ref = _KINDS[int(m.jnt_type[j])], m.jnt_axis[j].copy(), float(m.qpos0[qpos])
        X_CJ = Pose(np.eye(3), m.jnt_pos[j])
        turn = np.concatenate([axis * -ref, np.zeros(3)] if kind == "revolute" else [np.zeros(3), axis * -ref])
        axis.flags.writeable = False
        lower, upper = m.jnt_range[j].tolist() if m.jnt_limited[j] else (-math.inf, math.inf)
        return Joint(
            own,
            kind,
            parent,
            child,
            X_PC @ X_CJ,
            axis=axis,
            X_JC=Pose.exp(turn) @ X_CJ.inverse(),
            lower=lower,
            upper=upper,
            effort=self._effort(j, where),
            damping=float(m.dof_damping[dof]),
            stiffness=float(m.jnt_stiffness[j]),
            springref=float(m.qpos_spring[qpos]) if m.jnt_stiffness[j] else 0.0,
            armature=float(m.dof_armature[dof]),
            friction=float(m.dof_frictionloss[dof]),
        )

    def _effort(self, j: int, where: str) -> float:
        if not self.m.jnt_actfrclimited[j]:
            return math.inf
        low, high = self.m.jnt_actfrcrange[j].tolist()
        if low != -high:
            raise ModelError(f"{where}: actuatorfrcrange = {low:g} {high:g}; allowed: the same limit both ways")
        return high

    def _shapes(self, body: Any) -> tuple[tuple[Shape, ...], tuple[Shape, ...]]:
        """The shapes of a body that are seen, and those that touch."""
        m = self.m
        seen: list[Shape] = []
        touching: list[Shape] = []
        for geom in body.geoms:
            g, where = int(geom.id), self._where("geom", geom.name, geom)
            if np.any(m.geom_adhesion[g]) or np.any(m.geom_surfacevel[g]):
                raise ModelError(f"{where}: adhesion or surfacevel; allowed: 0 (contacts belong to the mission)")
            lists = [seen] if m.geom_group[g] < _SHOWN_GROUPS else []
            lists += [touching] if m.geom_contype[g] or m.geom_conaffinity[g] else []
            if lists:
                shape = replace(self._shape(g, where), name=geom.name)
                for one in lists:
                    one.append(shape)
        return tuple(seen), tuple(touching)

    def _shape(self, g: int, where: str) -> Shape:
        m = self.m
        X_LG = Pose.from_quat(m.geom_quat[g], m.geom_pos[g])
        size, rgba = m.geom_size[g].tolist(), self._rgba(g)
        match mj.mjtGeom(m.geom_type[g]):
            case mj.mjtGeom.mjGEOM_BOX:
                return Shape("box", tuple(size), X_LG, rgba)
            case mj.mjtGeom.mjGEOM_SPHERE:
                return Shape("sphere", (size[0],), X_LG, rgba)
            case mj.mjtGeom.mjGEOM_CYLINDER:
                return Shape("cylinder", (size[0], size[1]), X_LG, rgba)
            case mj.mjtGeom.mjGEOM_CAPSULE:
                return Shape("capsule", (size[0], size[1]), X_LG, rgba)
            case mj.mjtGeom.mjGEOM_MESH:
                return self._mesh(g, X_LG, rgba, where)
            case other:
                kind = other.name.removeprefix("mjGEOM_").lower()
                raise ModelError(
                    f"{where}: type = {kind!r}; allowed: box, sphere, cylinder, capsule, mesh, or, to leave it out,"
                    " group 3 with contype 0 and conaffinity 0"
                )

    def _rgba(self, g: int) -> tuple[float, float, float, float]:
        own, material = self.m.geom_rgba[g], int(self.m.geom_matid[g])
        plain = np.allclose(own, _GEOM_DEFAULT_RGBA)
        r, g_, b, a = (self.m.mat_rgba[material] if plain and material >= 0 else own).astype(float).tolist()
        return (r, g_, b, a)

    def _mesh(self, g: int, X_LI: Pose, rgba: tuple[float, float, float, float], where: str) -> Shape:
        """MuJoCo moves a mesh to its principal axes I and the geom along with it; undo both."""
        mesh = self.meshes[int(self.m.geom_dataid[g])]
        if not mesh.file or np.any(mesh.refpos) or not np.array_equal(mesh.refquat, [1.0, 0.0, 0.0, 0.0]):
            raise ModelError(
                f"{where}: mesh {shown(mesh.name)}; allowed: meshes from a file, without refpos and refquat"
            )
        path = self.source.directory / mesh.compiler.meshdir / mesh.file
        if not path.is_file():
            raise ModelError(f"{where}: mesh file {shown(str(path))} is not found; allowed: a file under meshdir")
        X_MI = Pose.from_quat(self.m.mesh_quat[mesh.id], self.m.mesh_pos[mesh.id])
        x, y, z = np.asarray(mesh.scale, dtype=float).tolist()
        return Shape("mesh", (x, y, z), X_LI @ X_MI.inverse(), rgba, str(path))


def _one_line(message: str) -> str:
    line = " ".join(message.split())
    return "".join(c if c.isprintable() else "?" for c in line[:400])


def _parsed(source: Source) -> Any:
    if source.path is not None:
        return mj.MjSpec.from_file(str(source.path))
    return mj.MjSpec.from_string(source.text)


def _elements(top: Element) -> list[Element]:
    found = [top]
    for e in found:  # grows while it is read
        found.extend(e.children)
    return found


def _has_include(top: Element) -> bool:
    return any(e.tag in ("include", "model") for e in _elements(top))


def _refuse_elements(top: Element) -> None:
    """What MuJoCo would refuse less clearly, or only warn about."""
    for e in _elements(top):
        if e.tag == "plugin":
            raise e.error("plugin: not supported; allowed: no plugin")
        for name, value in e.attributes.items():
            if name not in ("name", "class") and {"nan", "inf", "-inf"} & set(value.lower().split()):
                raise e.error(f"{name} = {shown(value)} is not finite; allowed: finite numbers")
