"""Rigid bodies that lock together: what momentum says about the motion and the energy afterwards.

Locked bodies are one rigid body with the momenta that they had together, so that

    T_after = |P|^2 / (2 m) + L_cm . I_cm^-1 L_cm / 2,

with m, I_cm and the momenta summed over the bodies at their centre of mass. Where the structure keeps joints, Carnot's
theorem (1803) holds instead: T_before - T_after is the kinetic energy of the velocities lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from freefloat.inertia import parallel_axis
from freefloat.verify.oracles.newton_euler import LinkMotion, total_momenta


def kinetic_energy(bodies: Sequence[LinkMotion]) -> float:
    """Sum over the bodies [J]; rotors (armature) are not in it."""
    return float(sum(0.5 * b.link.mass * b.v @ b.v + 0.5 * b.w @ b.inertia @ b.w for b in bodies))


def locked_energy(bodies: Sequence[LinkMotion]) -> float:
    """Kinetic energy [J] of the one rigid body that the bodies become where they stand."""
    mass = sum(b.link.mass for b in bodies)
    centre = np.sum([b.link.mass * b.centre for b in bodies], axis=0) / mass
    inertia = np.sum([parallel_axis(b.inertia, b.link.mass, b.centre - centre) for b in bodies], axis=0)
    momenta = total_momenta(bodies)
    L, P = momenta[:3], momenta[3:]
    return float(0.5 * P @ P / mass + 0.5 * L @ np.linalg.solve(inertia, L))


def lost_velocity_energy(before: Mapping[str, LinkMotion], after: Mapping[str, LinkMotion]) -> float:
    """Kinetic energy [J] of the velocities lost between two motions in the same place (Carnot's theorem)."""
    lost = [LinkMotion(b.link, b.X_WL, b.w - after[name].w, b.v - after[name].v) for name, b in before.items()]
    return kinetic_energy(lost)
