"""A three-axis gantry on a stack: a simple robot that reaches every column from above."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from freefloat.amounts import Amount, Measure, Measures, positive, take, take_rows
from freefloat.engine.graph import Joint, Link, LinkGraph
from freefloat.frames import Array, Pose
from freefloat.geometry.shape import Shape
from freefloat.inertia import parallel_axis

Vector3 = tuple[float, float, float]
GREY = (0.55, 0.58, 0.62, 1.0)


@dataclass(frozen=True)
class GantrySize:
    """Where the beams are in the frame T of the stack, and their masses. The default is for a stack of 3 x 3 x 3."""

    reach: Measures = (1.0, 1.0)  # [m] each way along x and y
    floor: Measure = -0.9  # [m] of the lowest beams
    height: Measure = 2.6  # [m] of the bridge
    ram: Measure = 1.6  # [m] length of the ram; when it ends at the bridge, the hand is height - ram high
    rails_mass: Measure = 20.0  # [kg] assumed, as those below
    bridge_mass: Measure = 8.0  # [kg]
    trolley_mass: Measure = 4.0  # [kg]
    ram_mass: Measure = 3.0  # [kg]

    def __post_init__(self) -> None:
        kg = positive("kg")
        take_rows(self, "gantry", 2, reach=positive("m"))
        take(self, "gantry", floor=Amount("m"), height=Amount("m"), ram=positive("m"))
        take(self, "gantry", rails_mass=kg, bridge_mass=kg, trolley_mass=kg, ram_mass=kg)

    @property
    def beams(self) -> list[tuple[Vector3, Vector3]]:
        """Edges and centre [m] of two rails along x on four posts, joined below the stack."""
        x, y = self.reach
        beams = [((2.0 * x, 0.05, 0.05), (0.0, s * y, self.height)) for s in (-1, 1)]
        post, middle = self.height - self.floor, 0.5 * (self.height + self.floor)
        beams += [((0.05, 0.05, post), (r * x, s * y, middle)) for r in (-1, 1) for s in (-1, 1)]
        return beams + [((0.05, 2.0 * y, 0.05), (s * x, 0.0, self.floor)) for s in (-1, 1)]


DEFAULT = GantrySize()


def gantry_over(low: Array, high: Array, lift: float, lowest: float) -> GantrySize:
    """Over a box with these corners in T [m], for a hand that rises `lift` above it and comes down to `lowest` [m].

    Beams weigh per length what those of the default do.
    """
    x, y = (float(max(abs(low[i]), abs(high[i]))) + 0.4 for i in (0, 1))
    floor, height = float(low[2]) - 0.3, float(high[2]) + lift + 0.2
    bare = GantrySize((x, y), floor, height, height - lowest + 0.1)
    length = sum(max(size) for size, _ in bare.beams) / sum(max(size) for size, _ in DEFAULT.beams)
    return replace(
        bare,
        rails_mass=length * DEFAULT.rails_mass,
        bridge_mass=y / DEFAULT.reach[1] * DEFAULT.bridge_mass,
        ram_mass=bare.ram / DEFAULT.ram * DEFAULT.ram_mass,
    )


def _link(name: str, mass: float, size: Vector3, centre: Vector3) -> Link:
    a, b, c = np.array(size) ** 2
    inertia = mass / 12.0 * np.diag([b + c, a + c, a + b])
    shape = Shape("box", (0.5 * size[0], 0.5 * size[1], 0.5 * size[2]), Pose(np.eye(3), np.array(centre)), GREY)
    return Link(name, mass, np.array(centre), inertia, (shape,))


def _rails(of: GantrySize) -> Link:
    """Beams whose masses go with their lengths."""
    mass, beams = of.rails_mass, of.beams
    lengths = np.array([max(size) for size, _ in beams])
    parts = [_link("", m, *beam) for m, beam in zip(mass * lengths / lengths.sum(), beams, strict=True)]
    centre = sum(p.mass * p.p_LLcm for p in parts) / mass
    inertia = sum(parallel_axis(p.I_LLcm_L, p.mass, p.p_LLcm - centre) for p in parts)
    return Link("rails", mass, np.asarray(centre), np.asarray(inertia), tuple(p.shapes[0] for p in parts))


def gantry(force: Measure = 200.0, size: GantrySize = DEFAULT) -> LinkGraph:
    """Rails on the stack's frame T, bridge along x, trolley along y, ram along z with the frame `hand` (z down)."""
    hand = Pose(np.diag([1.0, -1.0, -1.0]), np.array([0.0, 0.0, -size.ram]))
    rails = _rails(size)
    bridge = _link("bridge", size.bridge_mass, (0.08, 2.0 * size.reach[1], 0.08), (0.0, 0.0, size.height))
    trolley = _link("trolley", size.trolley_mass, (0.16, 0.16, 0.12), (0.0, 0.0, size.height))
    ram = _link("ram", size.ram_mass, (0.06, 0.06, size.ram), (0.0, 0.0, -0.5 * size.ram))
    ram = Link(ram.name, ram.mass, ram.p_LLcm, ram.I_LLcm_L, ram.shapes, {"hand": hand})
    joints = (
        Joint("x", "prismatic", "rails", "bridge", Pose.identity(), np.array([1.0, 0.0, 0.0]), effort=force),
        Joint("y", "prismatic", "bridge", "trolley", Pose.identity(), np.array([0.0, 1.0, 0.0]), effort=force),
        Joint(
            "z",
            "prismatic",
            "trolley",
            "ram",
            Pose(np.eye(3), np.array([0.0, 0.0, size.height])),
            np.array([0.0, 0.0, 1.0]),
            effort=force,
        ),
    )
    return LinkGraph((rails, bridge, trolley, ram), joints, "rails")


def joints_for(p_T: Array, size: GantrySize = DEFAULT) -> Array:
    """Joint positions that put the hand at a point of T."""
    return np.array([p_T[0], p_T[1], p_T[2] - size.height + size.ram])
