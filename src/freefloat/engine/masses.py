"""Mass properties that change while a run goes on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import mujoco
import numpy as np

from freefloat.engine.graph import MassOf, Vector
from freefloat.engine.tree import principal_axes
from freefloat.errors import InputError, unknown_name
from freefloat.frames import matrix_to_quat
from freefloat.inertia import check_inertia

if TYPE_CHECKING:
    from freefloat.engine.plant import Plant


def set_mass(plant: Plant, link: str, mass: float, p_LLcm: Vector, I_LLcm_L: Vector) -> None:
    """Change a link's mass properties; its frame keeps its motion, and the audit books what leaves or enters."""
    check_mass(plant, link, (mass, p_LLcm, I_LLcm_L))
    with plant.booked():
        put_masses(plant, {link: (mass, p_LLcm, I_LLcm_L)})


def check_mass(plant: Plant, link: str, properties: MassOf) -> None:
    """Refuse what a link cannot have: it must be declared `variable` (MuJoCo fixes the sparsity of the mass matrix
    otherwise), and zero is allowed only where it hangs on another without joint.
    """
    if link not in plant.links:
        raise unknown_name("link", link, plant.links)
    if not plant.links[link].variable:
        raise InputError(f"link {link!r}: its mass cannot change; declare it with variable=True")
    mass, p_LLcm, I_LLcm_L = properties
    jointless = int(plant.tree.model.body_dofnum[plant.tree.body[link]]) == 0
    massless = mass == 0.0 and not I_LLcm_L.any() and jointless
    if not (np.isfinite(mass) and mass > 0.0) and not massless:
        raise InputError(f"link {link!r}: mass {mass!r} kg must be positive")
    if not np.isfinite(p_LLcm).all():
        raise InputError(f"link {link!r}: centre of mass {p_LLcm.tolist()} m must be finite")
    if not massless:
        check_inertia(I_LLcm_L)


def put_masses(plant: Plant, masses: Mapping[str, MassOf]) -> None:
    """Write mass properties of links into the model; momentum is the caller's matter."""
    m = plant.tree.model
    for link, (mass, p_LLcm, I_LLcm_L) in masses.items():
        plant.links[link] = replace(plant.links[link], mass=mass, p_LLcm=p_LLcm.copy(), I_LLcm_L=I_LLcm_L.copy())
        b = plant.tree.body[link]
        inertia, R_LI = principal_axes(I_LLcm_L)
        m.body_mass[b], m.body_ipos[b], m.body_inertia[b] = mass, p_LLcm, inertia
        m.body_iquat[b] = matrix_to_quat(R_LI)
    mujoco.mj_setConst(m, mujoco.MjData(m))
    plant.touch()
