"""Rotors of driven joints as bodies of their own in a graph of links.

Each rotor R hangs on the stator's link P by a hinge about the joint's axis a. Only its axial inertia J is the drive's;
its mass m and transverse inertia J_t, which MuJoCo wants too, are taken out of P, with the rotor's centre on the axis:

    m_P' = m_P - m,   I_P'(about any point) = I_P - I of (m, J_t (1 - a a^T)),   rotor: J a a^T + J_t (1 - a a^T)

so that P and R together have the mass and transverse inertia that P had, and J about a in addition. m and J_t drop out
of the motion. The rotor's hinge has the coordinate theta and the generalised force T = T_m - kappa tau - F / N, the
joint tau: by virtual work, T theta' + tau q' is what T on R and -T on P, tau on C and -tau on P do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from freefloat.engine.graph import Joint, Link, LinkGraph
from freefloat.frames import Array
from freefloat.inertia import parallel_axis


def with_rotors(graph: LinkGraph, inertia: Mapping[str, float], mass: float, flat: float) -> LinkGraph:
    """The graph with a rotor `rotor:JOINT` of axial `inertia` [kg m^2] at every joint in the mapping (see above).

    `mass` [kg] and transverse inertia `flat` * J of each rotor are taken out of the stator's link.
    """
    links = {link.name: link for link in graph.links}
    joints = list(graph.joints)
    for joint in graph.joints:
        if joint.name in inertia:
            J = inertia[joint.name]
            along = np.outer(joint.axis, joint.axis)
            across = flat * J * (np.eye(3) - along)
            name = f"rotor:{joint.name}"
            R_PJ, centre = joint.X_PJ.R, joint.X_PJ.p
            links[joint.parent] = _without(links[joint.parent], mass, centre, R_PJ @ across @ R_PJ.T)
            links[name] = Link(name, mass, np.zeros(3), J * along + across)
            joints.append(Joint(name, "revolute", joint.parent, name, joint.X_PJ, joint.axis))
    return LinkGraph(tuple(links.values()), tuple(joints), graph.root)


def _without(link: Link, mass: float, p_LR: Array, inertia: Array) -> Link:
    """The link less a body of this mass, centre and inertia about it."""
    rest = link.mass - mass
    centre = (link.mass * link.p_LLcm - mass * p_LR) / rest
    I_L = parallel_axis(link.I_LLcm_L, link.mass, link.p_LLcm - centre) - parallel_axis(inertia, mass, p_LR - centre)
    return replace(link, mass=rest, p_LLcm=centre, I_LLcm_L=I_L)
