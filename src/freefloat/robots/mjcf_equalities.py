"""Equalities of joints, and of tendons that tie two joints, as couplings: exact here, where MuJoCo's yield a little."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.polynomial import Polynomial

from freefloat.engine.graph import Coupling
from freefloat.robots.mjcf_model import Model, mj
from freefloat.robots.mjcf_tendons import weights
from freefloat.robots.xmltree import shown

_DEGREE = 4  # of couplings
REMEDY = "use a connection or an effect of the mission"


def active(model: Model, kinds: tuple[Any, ...]) -> Iterator[tuple[Any, str]]:
    """Equalities of some kinds, with their places; those that start inactive are noted."""
    for item in sorted(model.spec.equalities, key=lambda e: e.id):
        if mj.mjtEq(model.m.eq_type[item.id]) not in kinds:
            continue
        kind = mj.mjtEq(model.m.eq_type[item.id]).name.removeprefix("mjEQ_").lower()
        where = model.where(kind, item)
        if model.m.eq_active0[item.id]:
            yield item, where
        else:
            model.reading.alike("starts inactive and is left out", where)


def check_others(model: Model) -> None:
    """Tell the reading of equalities that have no model here."""
    known = (mj.mjtEq.mjEQ_WELD, mj.mjtEq.mjEQ_JOINT, mj.mjtEq.mjEQ_TENDON)
    others = tuple(kind for kind in mj.mjtEq.__members__.values() if kind not in known)
    for item, where in active(model, others):
        kind = mj.mjtEq(model.m.eq_type[item.id]).name.removeprefix("mjEQ_").lower()
        model.reading.cannot(where, f"an equality of the kind {kind}", REMEDY)


def couplings(model: Model) -> dict[str, Coupling]:
    """Joint -> how another one leads it; leaders are led by none."""
    led = _Couplings(model)
    for item, where in active(model, (mj.mjtEq.mjEQ_JOINT,)):
        led.add_joints(int(item.id), where)
    for item, where in active(model, (mj.mjtEq.mjEQ_TENDON,)):
        led.add_tendon(int(item.id), where)
    return led.found


class _Couplings:
    def __init__(self, model: Model) -> None:
        self.model, self.found = model, dict[str, Coupling]()

    def add_joints(self, e: int, where: str) -> None:
        """q1 - ref1 = a0 + a1 (q2 - ref2) + ... + a4 (q2 - ref2)^4."""
        m = self.model.m
        first, second = int(m.eq_obj1id[e]), int(m.eq_obj2id[e])
        if second < 0:
            self.model.reading.cannot(where, "an equality that holds one joint", "leave the joint out of the file")
            return
        ref1, ref2 = (float(m.qpos0[m.jnt_qposadr[j]]) for j in (first, second))
        law = Polynomial(m.eq_data[e][: _DEGREE + 1])(Polynomial([-ref2, 1.0])) + ref1
        if not self._add(first, second, law):
            self._cannot(where)

    def add_tendon(self, e: int, where: str) -> None:
        """c1 q1 + c2 q2 = length0 + a0, for one fixed tendon of two joints."""
        m = self.model.m
        t, length = int(m.eq_obj1id[e]), float(m.tendon_length0[m.eq_obj1id[e]] + m.eq_data[e][0])
        found = list((weights(m, t) or {}).items())
        if m.eq_obj2id[e] >= 0 or len(found) != 2:
            what = "an equality of tendons that is none of two joints' coordinates"
            self.model.reading.cannot(where, what, REMEDY)
            return
        (one, c1), (two, c2) = found
        if self._add(two, one, Polynomial([length / c2, -c1 / c2])):
            return
        if not self._add(one, two, Polynomial([length / c1, -c2 / c1])):
            self._cannot(where)

    def _cannot(self, where: str) -> None:
        what = "an equality of joints that others already tie, or that is steeper than the fourth power,"
        self.model.reading.cannot(where, what, REMEDY)

    def _add(self, joint: int, leader: int, law: Polynomial) -> bool:
        """Whether the joint could be led; where its leader is led itself, by the leader's leader."""
        name, above = self.model.joint_names[joint], self.model.joint_names[leader]
        if name in self.found:
            return False
        if above in self.found:
            law, above = law(Polynomial(self.found[above].coefficients)), self.found[above].leader
        below = [c for c in self.found.values() if c.leader == name]
        laws = {name: law, **{c.joint: Polynomial(c.coefficients)(law) for c in below}}
        trimmed = {joint: law.trim().coef for joint, law in laws.items()}
        if above == name or any(c.size > _DEGREE + 1 for c in trimmed.values()):
            return False
        for follower, coefficients in trimmed.items():
            c0, c1, c2, c3, c4 = np.pad(coefficients, (0, _DEGREE + 1 - coefficients.size)).tolist()
            self.found[follower] = Coupling(follower, above, (c0, c1, c2, c3, c4))
        self.model.reading.note(
            f"joint {shown(name)} follows {shown(above)} exactly, where MuJoCo's equality yields a little"
        )
        return True
