"""The posture in which an MJCF model's joints start: its `ref`, or the nearest that limits and equalities allow."""

from __future__ import annotations

import math

import numpy as np

from freefloat.engine.graph import Coupling, Joint, LinkGraph
from freefloat.robots.mjcf_model import Model

_TRIES = 201  # positions of a leader between its limits


def posture(model: Model, graph: LinkGraph) -> dict[str, float]:
    """Joint -> start position, of the joints that have one of their own."""
    m, moving = model.m, {j.name: j for j in graph.joints if j.kind != "fixed"}
    refs = {name: float(m.qpos0[m.jnt_qposadr[j]]) for j, name in model.joint_names.items() if name in moving}
    start = {name: ref for name, ref in refs.items() if _allowed(moving[name], ref)}
    for leader in dict.fromkeys(c.leader for c in graph.couplings):
        led = [c for c in graph.couplings if c.leader == leader]
        own, near = moving[leader], start.get(leader, 0.0)
        tries = np.linspace(max(own.lower, near - math.pi), min(own.upper, near + math.pi), _TRIES).tolist()
        for q in [near, *sorted(tries, key=lambda q: abs(q - near))]:
            if _allowed(own, q) and all(_allowed(moving[c.joint], _led(c, q)) for c in led):
                start[leader] = q
                break
    return start


def _led(coupling: Coupling, q: float) -> float:
    return float(np.polynomial.polynomial.polyval(q, coupling.coefficients))


def _allowed(joint: Joint, q: float) -> bool:
    return joint.lower <= q <= joint.upper
