"""The outside of a body as flat plates, for air drag, sunlight and heat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from freefloat.amounts import Amount, Measure, Measures, UnfitError, not_negative, positive, share, take, take_rows


@dataclass(frozen=True)
class Finish:
    """Surface properties of a plate; what is neither reflected specularly nor diffusely is absorbed."""

    cd: Measure = 2.2  # [-] drag coefficient on the area facing the flow
    specular: Measure = 0.2  # [-] share of sunlight
    diffuse: Measure = 0.4  # [-]
    emissivity: Measure = 0.8  # [-] in the infrared

    def __post_init__(self) -> None:
        take(self, "finish", cd=not_negative("-"), specular=share(), diffuse=share(), emissivity=share())
        if self.specular + self.diffuse > 1.0:
            raise UnfitError("finish", "diffuse", self.diffuse, "with specular at most 1, as the rest is absorbed")

    @property
    def absorptance(self) -> float:
        """[-] of sunlight"""
        return 1.0 - self.specular - self.diffuse


@dataclass(frozen=True)
class Plate:
    """A flat plate of body B that works on the side of its normal; no plate shades another."""

    normal: Measures  # [-] n_B, outward unit normal
    area: Measure  # [m^2]
    centre: Measures  # [m] p_BP, where the forces act
    finish: Finish = Finish()

    def __post_init__(self) -> None:
        take_rows(self, "plate", 3, normal=Amount("-"), centre=Amount("m"))
        take(self, "plate", area=not_negative("m^2"))
        if not abs(float(np.linalg.norm(self.normal)) - 1.0) < 1e-9:
            raise UnfitError("plate", "normal", self.normal, "3 numbers with length 1")


def plate_labels(plates: Sequence[Plate]) -> tuple[str, ...]:
    """What plates are called: "+x" and so on by their normals; their numbers where that does not tell them apart."""
    names: list[str] = []
    for plate in plates:
        axis = int(np.argmax(np.abs(plate.normal)))
        if abs(plate.normal[axis]) > 1.0 - 1e-9:
            names.append(f"{'+' if plate.normal[axis] > 0.0 else '-'}{'xyz'[axis]}")
    return tuple(names) if len(set(names)) == len(plates) else tuple(f"surface {k}" for k in range(len(plates)))


def box_plates(size: Measures, finish: Finish | None = None) -> tuple[Plate, ...]:
    """Six faces +x, -x, +y, -y, +z, -z of a box with edges `size` [m] about the origin of B."""
    size = positive("m").numbers(size, (3,), "box plates: size")
    plates: list[Plate] = []
    for axis in range(3):
        area = float(size[(axis + 1) % 3] * size[(axis + 2) % 3])
        for sign in (1.0, -1.0):
            n = [0.0, 0.0, 0.0]
            n[axis] = sign
            p = [0.5 * size[axis] * c for c in n]
            plates.append(Plate((n[0], n[1], n[2]), area, (p[0], p[1], p[2]), finish or Finish()))
    return tuple(plates)
