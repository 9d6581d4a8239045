"""The step for an arm with drives: links swing against their gears, and the plant's own scheme has to follow that."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import mujoco
import numpy as np

from freefloat.drives.joint_drive import JointDrive
from freefloat.drives.substeps import needed_substeps
from freefloat.engine.advice import Longest
from freefloat.engine.world import World
from freefloat.errors import InputError

MOST = {4: 0.55, 5: 2.5}  # [rad] that link and rotor may swing in a step, by the order of the integrator


@dataclass(frozen=True, eq=False)
class DriveAdvice:
    """What the drives of an arm ask of the step, by joint.

    The fast part of a drive has sub-steps of its own; but light links that cogging and kinematic error shake are moved
    along by the plant's scheme, with an error that grows with its step. Measured with seven drives of SPIDER on arm7,
    whose lightest link swings at 2000 rad/s: momentum drifts by 3e-8 at 1 ms and 2e-9 at 0.5 ms with RK4, by 8e-12 at
    1 ms with Dopri5 (without these two errors RK4 has 5e-12). The fastest swing is what the limit is put in.
    """

    name: str
    drives: Mapping[str, JointDrive]

    def longest_step(self, world: World) -> Longest:
        """A share of 1 / w of the fastest joint; refuses a number of substeps that is too small for the step."""
        tree = world.compiled()
        M = np.zeros((tree.model.nv, tree.model.nv))
        mujoco.mj_fullM(tree.model, tree.data, M)
        own = np.diagonal(np.linalg.inv(M))
        found, inertias, most = Longest(math.inf), {}, MOST[world.order]
        for joint, drive in self.drives.items():
            inertia = 1.0 / float(own[tree.rate[joint]])
            reflected = drive.motor.inertia * drive.gear.ratio**2
            w = math.sqrt(drive.gear.stiffness * (1.0 / inertia + 1.0 / reflected))
            if w * found.step > most:
                why = f"joint {joint!r} swings at {w:.3g} rad/s against its gear; at most {most} rad in a step"
                found = Longest(most / w, why)
            inertias[joint] = inertia
        for joint, inertia in inertias.items():
            self._check(joint, self.drives[joint], inertia, min(world.step, found.step))
        return found

    def _check(self, joint: str, drive: JointDrive, inertia: float, step: float) -> None:
        needed = needed_substeps(drive, inertia, step)
        if 0 < drive.substeps < needed:
            raise InputError(
                f"joint {joint!r}: {drive.place}: {drive.substeps} substeps of a step of {1e3 * step:g} ms are too few "
                f"for its gear and winding at {inertia:.3g} kg m^2; allowed: >= {needed}, or 0: as many as needed"
            )
