"""Actuators of an MJCF model that act on one joint with an effort affine in command, position and rate.

With the gear r, MuJoCo's length is l = r q and the effort r clip(gain u + b0 + b1 l + b2 l').
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from freefloat.engine.graph import Actuator, Coupling
from freefloat.robots.mjcf_model import Model, mj
from freefloat.robots.mjcf_tendons import one_joint, weights

_HINGE, _SLIDE = int(mj.mjtJoint.mjJNT_HINGE), int(mj.mjtJoint.mjJNT_SLIDE)
_JOINT = (mj.mjtTrn.mjTRN_JOINT, mj.mjtTrn.mjTRN_JOINTINPARENT)
_REMEDY = "use a drive or a command of the mission"


def actuators(model: Model, couplings: Mapping[str, Coupling]) -> tuple[Actuator, ...]:
    """Those that can be modelled; the others are told to the reading."""
    made: dict[int, Actuator] = {}
    for item in sorted(model.spec.actuators, key=lambda a: a.id):
        name = model.actuator_name_pool.give("actuator", item, f"actuator{item.id}")
        where = model.where("actuator", item, name)
        driven = _driven(model, int(item.id), couplings)
        why = _unlike(model, int(item.id), driven is not None)
        if why or driven is None:
            model.reading.cannot(where, why, _REMEDY)
        else:
            made[int(item.id)] = _actuator(model, int(item.id), name, *driven)
    _limit(model, made)
    return tuple(made.values())


def _limit(model: Model, made: dict[int, Actuator]) -> None:
    """Keep the actuatorfrcrange of joints, which holds for the sum of a joint's actuators."""
    acting = {i: _joints(model, i) for i in made}
    for item in sorted(model.spec.joints, key=lambda joint: joint.id):
        j, name = int(item.id), model.joint_names[int(item.id)]
        low, high = model.m.jnt_actfrcrange[j].tolist()
        on = [i for i, joints in acting.items() if j in joints]
        if not on or not model.m.jnt_actfrclimited[j] or low != -high:  # others are told with the joint
            continue
        alone = all(acting[i] == [j] and made[i].joint == name for i in on)
        if alone and len(on) == 1:
            least, most = (min(max(f, low), high) for f in made[on[0]].effort)
            made[on[0]] = replace(made[on[0]], effort=(least, most))
        elif not alone or any(abs(sum(made[i].effort[end] for i in on)) > high for end in (0, 1)):
            what = f"actuatorfrcrange = {low:g} {high:g} of a joint with {len(on)} actuators"
            what = what if alone else f"actuatorfrcrange = {low:g} {high:g} of a joint that a tendon of several drives"
            model.reading.cannot(model.where("joint", item, name), what, "limit each by its forcerange", "no limit")


def _joints(model: Model, i: int) -> list[int]:
    """Numbers of the joints that an actuator pulls at."""
    target = int(model.m.actuator_trnid[i][0])
    return [target] if mj.mjtTrn(model.m.actuator_trntype[i]) in _JOINT else list(weights(model.m, target) or {})


def _unlike(model: Model, i: int, on_joint: bool) -> str:
    """What about the actuator cannot be modelled, or nothing."""
    m = model.m
    transmission = mj.mjtTrn(m.actuator_trntype[i])
    if not on_joint:
        target = "tendon that no single joint sets" if transmission == mj.mjtTrn.mjTRN_TENDON else ""
        target = "ball or free joint" if transmission in _JOINT else target
        return f"an actuator of a {target or transmission.name.removeprefix('mjTRN_').lower()}"
    dynamics, gain, bias = (
        mj.mjtDyn(m.actuator_dyntype[i]),
        mj.mjtGain(m.actuator_gaintype[i]),
        mj.mjtBias(m.actuator_biastype[i]),
    )
    if dynamics != mj.mjtDyn.mjDYN_NONE:
        return f"an actuator with dynamics of its own ({dynamics.name.removeprefix('mjDYN_').lower()})"
    affine = gain == mj.mjtGain.mjGAIN_AFFINE and not m.actuator_gainprm[i][1:3].any()
    if gain != mj.mjtGain.mjGAIN_FIXED and not affine:
        return f"an actuator whose gain changes ({gain.name.removeprefix('mjGAIN_').lower()})"
    if bias not in (mj.mjtBias.mjBIAS_NONE, mj.mjtBias.mjBIAS_AFFINE):
        return f"an actuator with the bias {bias.name.removeprefix('mjBIAS_').lower()}"
    for what, value in (
        ("delay", m.actuator_delay[i]),
        ("damping", m.actuator_damping[i] or abs(m.actuator_dampingpoly[i]).max()),
        ("armature", m.actuator_armature[i]),
    ):
        if value:
            return f"an actuator with {what} = {value:g} of its own"
    return "a plugin" if m.actuator_plugin[i] >= 0 else ""


def _driven(model: Model, i: int, couplings: Mapping[str, Coupling]) -> tuple[str, float, float] | None:
    """The joint that it acts on, and length = ratio q + offset; None where it acts on anything else."""
    m, transmission = model.m, mj.mjtTrn(model.m.actuator_trntype[i])
    gear, target = float(m.actuator_gear[m.actuator_outadr[i]][0]), int(m.actuator_trnid[i][0])
    if transmission in _JOINT and int(m.jnt_type[target]) in (_HINGE, _SLIDE):
        return model.joint_names[target], gear, 0.0
    only = one_joint(model, target, couplings) if transmission == mj.mjtTrn.mjTRN_TENDON else None
    return (only[0], gear * only[1], gear * only[2]) if only else None


def _actuator(model: Model, i: int, name: str, joint: str, gear: float, offset: float) -> Actuator:
    m = model.m
    turns = any(joint == model.joint_names[j] and m.jnt_type[j] == _HINGE for j in model.joint_names)
    u, gain = int(m.actuator_ctrladr[i]), float(m.actuator_gainprm[i][0])
    affine = m.actuator_biastype[i] == mj.mjtBias.mjBIAS_AFFINE
    b0, b1, b2 = m.actuator_biasprm[i][:3].tolist() if affine else (0.0, 0.0, 0.0)
    efforts = sorted(gear * f for f in m.actuator_forcerange[i].tolist())
    return Actuator(
        name,
        joint,
        gain=gear * gain,
        constant=gear * (b0 + b1 * offset),
        position=gear * b1 * gear,
        rate=gear * b2 * gear,
        effort=(efforts[0], efforts[1]) if m.actuator_forcelimited[i] else (-math.inf, math.inf),
        control=tuple(m.actuator_ctrlrange[u].tolist()) if m.actuator_ctrllimited[u] else (-math.inf, math.inf),
        unit=_unit(turns, gear, gain, (b0 + b1 * offset, b1, b2)),
    )


def _unit(turns: bool, gear: float, gain: float, bias: tuple[float, float, float]) -> str:
    """Of the command: an effort, a position or a rate where it plainly is one of the joint itself."""
    b0, b1, b2 = bias
    if b0 == b1 == b2 == 0.0:
        return ("N m" if turns else "N") if gear * gain == 1.0 else "-"
    if gear != 1.0 or b0 != 0.0:
        return "-"
    if b1 == -gain != 0.0:
        return "rad" if turns else "m"
    if b1 == 0.0 and b2 == -gain != 0.0:
        return "rad/s" if turns else "m/s"
    return "-"
