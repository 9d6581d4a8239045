"""A robot's graph as tables for people, and as data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from freefloat.engine.graph import Coupling, Joint, Link, LinkGraph


@dataclass(frozen=True)
class Table:
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def robot_tables(graph: LinkGraph) -> list[Table]:
    """Links, joints, frames and actuators."""
    led = {c.joint: c for c in graph.couplings}
    moving = [_joint_row(j, led.get(j.name)) for j in graph.moving]
    fixed = [(j.name, j.parent, j.child, _vector((j.X_PJ @ j.X_JC).p)) for j in graph.joints if j.kind == "fixed"]
    frames = [(name, link.name, _vector(X.p), _vector(X.q)) for link in graph.links for name, X in link.frames.items()]
    actuators = [
        (a.name, a.joint, _number(a.gain), _number(a.position), _number(a.rate), _limits(*a.effort), a.unit)
        for a in graph.actuators
    ]
    tables = [
        Table(
            "links",
            ("link", "mass [kg]", "centre of mass [m]", "principal moments [kg m^2]", "seen", "touching"),
            tuple(_link_row(link) for link in graph.links),
        ),
        Table(
            "joints",
            (
                *("joint", "kind", "from", "to", "axis", "limits [rad or m]", "speed [rad/s or m/s]"),
                *("effort [N m or N]", "damping", "friction", "led by"),
            ),
            tuple(moving),
        ),
        Table("fixed joints", ("joint", "from", "to", "position [m]"), tuple(fixed)),
        Table("frames", ("frame", "of link", "position [m]", "attitude q (w x y z)"), tuple(frames)),
        Table("actuators", ("actuator", "joint", "gain", "position", "rate", "effort", "unit"), tuple(actuators)),
    ]
    return [table for table in tables if table.rows]


def robot_data(graph: LinkGraph) -> dict[str, Any]:
    """All of it as numbers and names; None where a limit is infinite."""
    return {
        "root": graph.root,
        "mass_kg": sum(link.mass for link in graph.links),
        "links": [
            {
                "name": link.name,
                "mass_kg": link.mass,
                "centre_of_mass_m": link.p_LLcm.tolist(),
                "inertia_kg_m2": link.I_LLcm_L.tolist(),
                "shapes": len(link.shapes),
                "touching": len(link.contact_shapes),
            }
            for link in graph.links
        ],
        "joints": [_joint_data(j) for j in graph.joints],
        "couplings": [
            {"joint": c.joint, "leader": c.leader, "coefficients": list(c.coefficients)} for c in graph.couplings
        ],
        "actuators": [{"name": a.name, "joint": a.joint, "unit": a.unit} for a in graph.actuators],
        "frames": [
            {"name": name, "link": link.name, "position_m": X.p.tolist(), "q_wxyz": X.q.tolist()}
            for link in graph.links
            for name, X in link.frames.items()
        ],
        "notes": list(graph.notes),
        "skipped": list(graph.skipped),
    }


def _link_row(link: Link) -> tuple[str, ...]:
    moments = np.linalg.eigvalsh(link.I_LLcm_L)
    seen, touching = len(link.shapes), len(link.contact_shapes)
    return (link.name, _number(link.mass), _vector(link.p_LLcm), _vector(moments), str(seen), str(touching))


def _joint_row(j: Joint, led: Coupling | None) -> tuple[str, ...]:
    by = "" if led is None else f"{led.leader}: {_polynomial(led.coefficients)}"
    start = f"{j.parent}, in series" if j.series else j.parent
    numbers = [_number(x) for x in (j.velocity, j.effort, j.damping, j.friction)]
    return (j.name, j.kind, start, j.child, _vector(j.axis), _limits(j.lower, j.upper), *numbers, by)


def _joint_data(j: Joint) -> dict[str, Any]:
    limits = {"lower": j.lower, "upper": j.upper, "velocity": j.velocity, "effort": j.effort}
    return {
        "name": j.name,
        "kind": j.kind,
        "parent": j.parent,
        "child": j.child,
        "series": j.series,
        "axis": j.axis.tolist(),
        **{name: value if math.isfinite(value) else None for name, value in limits.items()},
        "damping": j.damping,
        "friction": j.friction,
        "stiffness": j.stiffness,
        "armature": j.armature,
    }


def _polynomial(c: Sequence[float]) -> str:
    """Of the leader's position q."""
    parts = [f"{c[k]:.4g}" + ("", " q", " q^2", " q^3", " q^4")[k] for k in range(4, -1, -1) if c[k]]
    return " + ".join(parts).replace("+ -", "- ") or "0"


def _limits(lower: float, upper: float) -> str:
    return "none" if math.isinf(lower) and math.isinf(upper) else f"{_number(lower)} to {_number(upper)}"


def _number(x: float) -> str:
    return "none" if x == math.inf else f"{x:.4g}"


def _vector(v: Sequence[float] | np.ndarray) -> str:
    return " ".join(f"{0.0 if abs(x) < 1e-12 else x:.4g}" for x in np.asarray(v).tolist())
