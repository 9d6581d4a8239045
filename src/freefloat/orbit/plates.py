"""The outside of a body as flat plates, for air drag, sunlight and heat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from freefloat.errors import InputError

Triple = tuple[float, float, float]


@dataclass(frozen=True)
class Finish:
    """Surface properties of a plate; what is neither reflected specularly nor diffusely is absorbed."""

    cd: float = 2.2  # [-] drag coefficient on the area facing the flow
    specular: float = 0.2  # [-] share of sunlight
    diffuse: float = 0.4  # [-]
    emissivity: float = 0.8  # [-] in the infrared

    def __post_init__(self) -> None:
        shares = (self.specular, self.diffuse, self.emissivity)
        if not (self.cd >= 0.0 and all(0.0 <= s <= 1.0 for s in shares) and self.specular + self.diffuse <= 1.0):
            raise InputError(f"plate finish: {self} needs cd >= 0 and shares between 0 and 1, reflected <= 1 together")

    @property
    def absorptance(self) -> float:
        """[-] of sunlight"""
        return 1.0 - self.specular - self.diffuse


@dataclass(frozen=True)
class Plate:
    """A flat plate of body B that works on the side of its normal; no plate shades another."""

    normal: Triple  # n_B, outward unit normal
    area: float  # [m^2]
    centre: Triple  # [m] p_BP, where the forces act
    finish: Finish = Finish()

    def __post_init__(self) -> None:
        if not (abs(float(np.linalg.norm(self.normal)) - 1.0) < 1e-9 and self.area >= 0.0):
            raise InputError(f"plate: normal {self.normal} must have length 1, area {self.area} m^2 not be negative")


def plate_labels(plates: Sequence[Plate]) -> tuple[str, ...]:
    """What plates are called: "+x" and so on by their normals; their numbers where that does not tell them apart."""
    names: list[str] = []
    for plate in plates:
        axis = int(np.argmax(np.abs(plate.normal)))
        if abs(plate.normal[axis]) > 1.0 - 1e-9:
            names.append(f"{'+' if plate.normal[axis] > 0.0 else '-'}{'xyz'[axis]}")
    return tuple(names) if len(set(names)) == len(plates) else tuple(f"surface {k}" for k in range(len(plates)))


def box_plates(size: Sequence[float], finish: Finish | None = None) -> tuple[Plate, ...]:
    """Six faces +x, -x, +y, -y, +z, -z of a box with edges `size` [m] about the origin of B."""
    plates: list[Plate] = []
    for axis in range(3):
        area = float(size[(axis + 1) % 3] * size[(axis + 2) % 3])
        for sign in (1.0, -1.0):
            n = [0.0, 0.0, 0.0]
            n[axis] = sign
            p = [0.5 * size[axis] * c for c in n]
            plates.append(Plate((n[0], n[1], n[2]), area, (p[0], p[1], p[2]), finish or Finish()))
    return tuple(plates)
