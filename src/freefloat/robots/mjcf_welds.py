"""Weld equalities of an MJCF model as fixed joints, which are exact where MuJoCo's welds yield a little."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from freefloat.engine.graph import WORLD, Joint, LinkGraph
from freefloat.frames import Pose
from freefloat.robots.mjcf_equalities import REMEDY, active
from freefloat.robots.mjcf_model import Model, mj


@dataclass(frozen=True)
class Weld:
    """Two bodies (by number; 0 is the world) that are held together."""

    name: str
    where: str
    first: int
    second: int
    X_12: Pose


def welds(model: Model) -> list[Weld]:
    """p1 + R1 d[3:6] = p2 + R2 d[0:3] and R1 R(d[6:10]) = R2, or both sites at one place."""
    m, found = model.m, []
    for item, where in active(model, (mj.mjtEq.mjEQ_WELD,)):
        e = int(item.id)
        first, second, d = int(m.eq_obj1id[e]), int(m.eq_obj2id[e]), m.eq_data[e]
        if d[10] == 0.0:
            model.reading.cannot(where, "a weld with torquescale = 0, which leaves turning free,", REMEDY)
            continue
        if m.eq_objtype[e] == int(mj.mjtObj.mjOBJ_SITE):
            X_12 = model.pose("site", first) @ model.pose("site", second).inverse()
            first, second = int(m.site_bodyid[first]), int(m.site_bodyid[second])
        else:
            X_12 = Pose.from_quat(d[6:10], d[3:6]) @ Pose(np.eye(3), -d[:3])
        name = model.joint_name_pool.free(_joint_name(item.name) if item.name else f"weld{e}")
        found.append(Weld(name, where, first, second, X_12))
    return found


def welded(model: Model, graph: LinkGraph, held: Sequence[Weld], lone: int) -> LinkGraph:
    """The graph with a fixed joint for each weld. A floating tree that a weld ties to another no longer floats."""
    joints, floating = list(graph.joints), dict(graph.floating)
    top = {name: name for name in (graph.root, *floating)}  # of each tree; welded ones share one
    for weld in held:
        (one, X_1B), (two, X_2B) = (_carrier(model, graph, b, lone) for b in (weld.first, weld.second))
        if one == two != "":
            model.reading.alike("ties what is fixed together already; it is left out", weld.where)
            continue
        if not one or not two:
            model.reading.cannot(weld.where, "a weld of a massless body between joints", REMEDY)
            continue
        X = X_1B @ weld.X_12 @ X_2B.inverse()
        if two == WORLD:
            one, two, X = two, one, X.inverse()
        a, b = (top[_top(graph.joints, name)] for name in (one, two))
        if a != b:
            kept, lost = (b, a) if b == graph.root else (a, b)
            top = {name: kept if at == lost else at for name, at in top.items()}
            floating.pop(lost)
        joints.append(Joint(weld.name, "fixed", one, two, X))
        model.reading.alike("held exactly, where MuJoCo's weld yields a little", weld.where)
    return replace(graph, joints=tuple(joints), floating=floating)


def _carrier(model: Model, graph: LinkGraph, b: int, lone: int) -> tuple[str, Pose]:
    """The link that a body became or that carries it, or the world, and X_LB. A lone root's frame is the world's."""
    if graph.root == WORLD and model.stands(b):
        X_WB = Pose.identity()
        while b not in (0, lone):
            X_WB = model.pose("body", b) @ X_WB
            b = int(model.m.body_parentid[b])
        return WORLD, X_WB
    name = model.body_names[b]
    for link in graph.links:
        if link.name == name:
            return name, Pose.identity()
        if name in link.frames:
            return link.name, link.frames[name]
    return "", Pose.identity()


def _top(joints: Sequence[Joint], name: str) -> str:
    """What a link hangs from in the end: the root, which may be the world, or one that floats."""
    parent = {j.child: j.parent for j in joints}
    while name in parent:
        name = parent[name]
    return name


def _joint_name(name: str) -> str:
    return "".join(c if c.isalnum() or c in "_:/-" else "_" for c in name)[:90]
