"""Coupled joints in names (`kernels.coupling`): a joint that another one leads starts where its leader says."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.polynomial import Polynomial

from freefloat.engine.graph import Coupling
from freefloat.engine.imposed import START_TOLERANCE, unit_of
from freefloat.errors import InputError

if TYPE_CHECKING:
    from freefloat.engine.blueprint import Builder

COUPLING_ETA = 50.0  # [1/s] Baumgarte rate


def couple(b: Builder, coupling: Coupling) -> None:
    """Declare that a joint of a part leads another (short names); the follower starts where it must."""
    bp = b.blueprint
    full = replace(coupling, joint=b.full(coupling.joint), leader=b.full(coupling.leader))
    unit = unit_of(bp.joints, full.joint)
    unit_of(bp.joints, full.leader)
    if not (len(full.coefficients) == 5 and np.isfinite(full.coefficients).all()):
        raise InputError(f"coupling of {full.joint!r}: coefficients {full.coefficients!r}; allowed: 5 finite numbers")
    if full.joint in bp.couplings or full.joint in bp.imposed or full.joint == full.leader:
        raise InputError(f"joint {full.joint!r} follows something already, or itself; allowed: one leader per joint")
    path = Polynomial(full.coefficients)
    leads, led = bp.joint_start[full.leader][0], bp.joint_start[full.joint][0]
    wanted = float(path(leads))
    if not abs(led - wanted) <= START_TOLERANCE:
        raise InputError(
            f"joint {full.joint!r} starts at {led:.12g} {unit}, but {full.leader!r} leads it to {wanted:.12g};"
            " start it there"
        )
    bp.joint_start[full.joint] = (wanted, 0.0)
    bp.couplings[full.joint] = full
