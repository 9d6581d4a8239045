"""An MJCF model as MuJoCo parses and compiles it, with names that signals can have and places for messages."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import mujoco
import numpy as np

from freefloat.errors import ModelError
from freefloat.frames import Pose
from freefloat.robots.attributes import LARGEST, is_name
from freefloat.robots.inertial import BALANCED, Inertial
from freefloat.robots.mjcf_places import Places
from freefloat.robots.reading import Reading
from freefloat.robots.xmltree import Element, Source, shown

mj: Any = mujoco  # the compiled names have no stubs

_NUMBERS = (  # arrays of the compiled model that the graph takes over
    *("body_pos", "body_ipos", "body_mass", "body_inertia", "geom_pos", "geom_size", "site_pos", "mesh_pos"),
    *("jnt_pos", "jnt_range", "jnt_stiffness", "qpos0", "qpos_spring"),
    *("dof_damping", "dof_armature", "dof_frictionloss", "eq_data"),
    *("actuator_gear", "actuator_gainprm", "actuator_biasprm", "actuator_ctrlrange", "actuator_forcerange"),
)
_LONGEST = 100  # characters of a name
_NOT_FINITE = frozenset({"nan", "inf", "-inf", "+inf"})


class Model:
    """One model, parsed (`spec`) and compiled (`m`); both number their elements alike."""

    def __init__(self, source: Source, reading: Reading) -> None:
        self.source, self.reading = source, reading
        places = Places(source)
        self.where = places.of
        self._check_elements(places.elements)
        reading.finish()  # MuJoCo would tell these less clearly, or only warn
        self.spec = self._mujoco(lambda: _parsed(source))
        if reading.balance:
            self._balance()
        self.spec.compiler.fusestatic = False
        self.spec.compiler.discardvisual = False
        for joint in self.spec.joints:
            joint.align = mj.mjtAlignFree.mjALIGNFREE_FALSE  # L stays where the file puts it
        self.m = self._mujoco(self.spec.compile)
        self._check_numbers()
        self.bodies = sorted(self.spec.bodies, key=lambda body: body.id)
        self._name_all()

    def _mujoco(self, call: Callable[[], Any]) -> Any:
        warned: list[warnings.WarningMessage] = []
        try:
            with warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always")
                return call()
        except (ValueError, RuntimeError, mj.FatalError) as e:
            raise ModelError(f"{self.source.name}: MuJoCo refuses the model: {_one_line(str(e))}") from None
        finally:
            for one in warned:
                self.reading.note(f"{self.source.name}: MuJoCo warns: {_one_line(str(one.message))}")

    def _check_elements(self, elements: Iterable[Element]) -> None:
        for e in elements:
            if e.tag == "plugin":
                self.reading.cannot(e.where, "a plugin", "model it as a part of the mission")
            for name, value in e.attributes.items():
                if name not in ("name", "class") and _NOT_FINITE & set(value.lower().split()):
                    self.reading.problem(f"{e.where}: {name} = {shown(value)} is not finite; allowed: finite numbers")

    def _check_numbers(self) -> None:
        for field in _NUMBERS:
            values = np.ravel(getattr(self.m, field))
            bad = values[~(np.abs(values) <= LARGEST)]  # a NaN compares as false
            if bad.size:
                allowed = f"numbers from {-LARGEST:g} to {LARGEST:g}"
                self.reading.problem(f"{self.source.name}: {field} holds {bad[0]:g}; allowed: {allowed}")
        self.reading.finish()

    def _balance(self) -> None:
        """Balance given inertias that miss the triangle inequality by a little, which MuJoCo would refuse."""
        for body in self.spec.bodies:
            tensor = _given_inertia(body)
            own = None if tensor is None else Inertial(float(body.mass), np.zeros(3), tensor)
            if own is None or own.grade != "triangle" or not own.miss < BALANCED:
                continue
            I = own.balanced().I_LLcm_L  # noqa: E741
            if np.isfinite(body.fullinertia[0]):
                body.fullinertia = [I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]]
            else:
                body.inertia = np.diag(I)
            what = f"{own.told} miss the triangle inequality by {own.miss:.2%}: balanced"
            self.reading.note(f"{self.where('body', body)}: {what}")

    def _name_all(self) -> None:
        """Bodies and sites share their names (both have poses); joints and actuators have names among themselves."""
        bodies, sites = self.bodies[1:], sorted(self.spec.sites, key=lambda s: s.id)
        joints = [j for body in bodies for j in body.joints]
        frames = _Names(self, [*bodies, *sites])
        self.body_names = ["world", *(frames.give("body", b, f"body{b.id}") for b in bodies)]
        self.site_names = {int(s.id): frames.give("site", s, "", f"{s.name}_site") for s in sites if s.name}
        names = _Names(self, joints)
        fallback = {id(b): f"{self.body_names[b.id]}_joint" for b in bodies}
        self.joint_names = {
            int(j.id): names.give("joint", j, fallback[id(b)], quiet=not j.name) for b in bodies for j in b.joints
        }
        self.joint_name_pool = names
        self.actuator_name_pool = _Names(self, self.spec.actuators)

    def stands(self, b: int) -> bool:
        """Whether no joint lies between a body and the world."""
        while b and not self.m.body_jntnum[b]:
            b = int(self.m.body_parentid[b])
        return b == 0

    def pose(self, kind: str, i: int) -> Pose:
        """Of a body in its parent, or of a geom or site in its body."""
        return Pose.from_quat(getattr(self.m, f"{kind}_quat")[i], getattr(self.m, f"{kind}_pos")[i])


class _Names:
    """Names of one kind, each given once. Characters that no signal can have become `_`, with a note."""

    def __init__(self, model: Model, items: Iterable[Any]) -> None:
        self.model = model
        self.own = {item.name for item in items if is_name(item.name)}
        self.given: set[str] = {"world"}

    def give(self, tag: str, item: Any, default: str, other: str = "", quiet: bool = False) -> str:
        """The element's own name where it can be had, or else one near to it; an unnamed one gets `default`."""
        wanted = re.sub(r"[^\w:/-]", "_", item.name or default)[:_LONGEST]
        free = wanted not in self.given and (item.name == wanted or wanted not in self.own)
        name = wanted if free else self.free(other if is_name(other) else wanted)
        self.given.add(name)
        if name != (item.name or default) and not quiet:
            self.model.reading.note(f"{self.model.where(tag, item)}: is called {shown(name)} here")
        return name

    def free(self, wanted: str) -> str:
        """`wanted`, or the first of wanted_2, wanted_3, ... that is free."""
        name, k = wanted, 1
        while name in self.given or name in self.own:
            k += 1
            name = f"{wanted[: _LONGEST - 6]}_{k}"
        self.given.add(name)
        return name


def _given_inertia(body: Any) -> np.ndarray | None:
    """The tensor that the file gives, in the axes that it gives it in [kg m^2]; None where it gives none."""
    full, diagonal = np.array(body.fullinertia, dtype=float), np.array(body.inertia, dtype=float)
    if body.explicitinertial and np.isfinite(full).all():
        xx, yy, zz, xy, xz, yz = full.tolist()
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return np.diag(diagonal) if body.explicitinertial and np.isfinite(diagonal).all() else None


def _one_line(message: str) -> str:
    line = " ".join(message.split())
    return "".join(c if c.isprintable() else "?" for c in line[:400])


def _parsed(source: Source) -> Any:
    if source.path is not None:
        return mj.MjSpec.from_file(str(source.path))
    return mj.MjSpec.from_string(source.text)
