"""Tendons of an MJCF model: a fixed one is a weighted sum of joint coordinates; only what acts along one matters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from freefloat.engine.graph import Coupling
from freefloat.robots.mjcf_model import Model, mj

_SCALAR = (int(mj.mjtJoint.mjJNT_HINGE), int(mj.mjtJoint.mjJNT_SLIDE))


def weights(m: Any, t: int) -> dict[int, float] | None:
    """Joint -> coefficient of a fixed tendon, whose length is their weighted sum; None for any other tendon."""
    found: dict[int, float] = {}
    for w in range(int(m.tendon_adr[t]), int(m.tendon_adr[t] + m.tendon_num[t])):
        joint = int(m.wrap_objid[w])
        if m.wrap_type[w] != int(mj.mjtWrap.mjWRAP_JOINT) or int(m.jnt_type[joint]) not in _SCALAR:
            return None
        found[joint] = found.get(joint, 0.0) + float(m.wrap_prm[w])
    return {joint: weight for joint, weight in found.items() if weight}


def one_joint(model: Model, t: int, couplings: Mapping[str, Coupling]) -> tuple[str, float, float] | None:
    """(joint, ratio, offset) of a fixed tendon with length = ratio q + offset; None where no single joint sets it.

    Joints that others lead by a straight line count as their leaders.
    """
    ratios: dict[str, float] = {}
    offset = 0.0
    for joint, weight in (weights(model.m, t) or {}).items():
        name = model.joint_names[joint]
        led = couplings.get(name)
        if led is None:
            ratios[name] = ratios.get(name, 0.0) + weight
        elif any(led.coefficients[2:]):
            return None
        else:
            ratios[led.leader] = ratios.get(led.leader, 0.0) + weight * led.coefficients[1]
            offset += weight * led.coefficients[0]
    if len(ratios) != 1:
        return None
    joint, ratio = next(iter(ratios.items()))
    return joint, ratio, offset


def check_tendons(model: Model) -> None:
    """Tell which tendons act by themselves, which cannot be modelled, and which ones are read past."""
    m, reading = model.m, model.reading
    idle = 0
    for item in sorted(model.spec.tendons, key=lambda t: t.id):
        t, where = int(item.id), model.where("tendon", item)
        acts = [
            what
            for what, value in (
                ("stiffness", m.tendon_stiffness[t] or abs(m.tendon_stiffnesspoly[t]).max()),
                ("damping", m.tendon_damping[t] or abs(m.tendon_dampingpoly[t]).max()),
                ("frictionloss", m.tendon_frictionloss[t]),
                ("armature", m.tendon_armature[t]),
                ("a limited length", m.tendon_limited[t]),
                ("a limited actuator force", m.tendon_actfrclimited[t]),
            )
            if value
        ]
        if acts:
            reading.cannot(where, f"a tendon with {', '.join(acts)}", "use a drive or an effect of the mission")
        idle += not acts
    if idle:
        reading.note(f"{model.source.name}: {idle} tendons without forces of their own are read past")
