"""Rows of the banks that belong to no package of parts: joint efforts and springs, wrenches on bodies, gravity."""

from __future__ import annotations

from typing import Literal

import numpy as np

from freefloat.amounts import Amount, Measure, Measures, not_negative
from freefloat.engine.graph import Actuator
from freefloat.frames import Pose
from freefloat.kernels.bank import Row
from freefloat.kernels.body_wrench import BODY_WRENCH
from freefloat.kernels.gravity import POINT_MASS_GRAVITY, UNIFORM_GRAVITY
from freefloat.kernels.joint_actuator import JOINT_ACTUATOR
from freefloat.kernels.joint_spring import JOINT_SPRING
from freefloat.kernels.joint_torque import JOINT_TORQUE


def joint_torque(joint: str, command: str, entry: int, limit: Measure = np.inf) -> Row:
    """A commanded effort at a joint, clipped to +-limit [N m or N]; its output is the applied effort."""
    limit = not_negative("N m or N", inf=True).number(limit, f"joint torque {joint!r}: limit")
    return JOINT_TORQUE.row(f"{joint}.drive", limit=limit, rate=joint, effort=(command, entry))


def joint_spring(
    joint: str,
    stiffness: Measure = 0.0,  # [N m/rad or N/m]
    damping: Measure = 0.0,  # [N m s/rad or N s/m]
    reference: Measure = 0.0,  # [rad or m]
    lower: Measure = -np.inf,  # [rad or m]
    upper: Measure = np.inf,  # [rad or m]
    stop_stiffness: Measure = 0.0,  # [N m/rad or N/m]
    stop_damping: Measure = 0.0,  # [s/rad or s/m] Hunt and Crossley's factor on the stop's own force
) -> Row:
    """A spring-damper with stops at a joint; its output is the effort. Texts have units of a hinge or of a slide."""
    return JOINT_SPRING.row(
        f"{joint}.spring",
        position=joint,
        rate=joint,
        stiffness=stiffness,
        damping=damping,
        reference=reference,
        lower=lower,
        upper=upper,
        stop_stiffness=stop_stiffness,
        stop_damping=stop_damping,
    )


def joint_actuator(name: str, joint: str, actuator: Actuator, command: tuple[str, int]) -> Row:
    """An actuator of a robot's file at a joint (full names); its output is the applied effort."""
    return JOINT_ACTUATOR.row(
        f"{name}.actuator",
        position_of=joint,
        rate_of=joint,
        control=command,
        gain=actuator.gain,
        constant=actuator.constant,
        position=actuator.position,
        rate_gain=actuator.rate,
        lowest=actuator.effort[0],
        highest=actuator.effort[1],
        least=actuator.control[0],
        most=actuator.control[1],
    )


def body_wrench(link: str, command: str, X_LP: Pose, expressed_in: Literal["body", "world"] = "body") -> Row:
    """A commanded wrench [torque; force] at point P of a link, from outside the system."""
    return BODY_WRENCH.row(
        f"{command}.wrench", body=link, wrench=command, p_BP=X_LP.p, in_body=float(expressed_in == "body")
    )


def uniform_gravity(g_W: Measures, name: str = "gravity.uniform") -> Row:
    """The same gravity everywhere [m/s^2]; where several worlds have one, each needs a name of its own."""
    return UNIFORM_GRAVITY.row(name, g_W=Amount("m/s^2").numbers(g_W, (3,), "uniform gravity: g_W"))


def point_mass_gravity(mu: Measure, p_WE: Measures = (0.0, 0.0, 0.0), name: str = "gravity.point_mass") -> Row:
    """Newton's gravity of a point mass mu [m^3/s^2] at E, on each body's centre of mass."""
    mass = Amount("m^3/s^2", ge=0.0).number(mu, "point-mass gravity: mu")
    return POINT_MASS_GRAVITY.row(name, mu=mass, p_WE=Amount("m").numbers(p_WE, (3,), "point-mass gravity: p_WE"))
