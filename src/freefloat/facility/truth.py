"""A facility as it truly is: errors drawn by a seed, where its plates are, and what its axes do.

Nothing of it is known to the model that corrects commands but by measuring.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from freefloat.engine.randomness import stream
from freefloat.errors import InputError
from freefloat.facility.axes import COUNT
from freefloat.facility.chain import BARE, Loads, chain_of, pose, stiffness_of
from freefloat.facility.error_sizes import RAIL_LENGTHS, RIPPLE_LENGTHS, ErrorSizes
from freefloat.facility.geometry import ROBOTS, LabGeometry
from freefloat.facility.truth_step import ROOM, Errors, executed_axes, told_motors, true_plates
from freefloat.frames import Array, Pose
from freefloat.robots.industrial_errors import GeometryErrors


@dataclass(frozen=True, eq=False)
class Truth:
    """One facility with its errors. Motors are 13 axes in the order of `facility.axes`, [m] and [rad]."""

    geometry: LabGeometry
    loads: Loads
    errors: tuple[GeometryErrors, GeometryErrors]  # of robots 1 and 2
    stiffness: Array  # (2, 6) [N m/rad] of their gears
    numbers: Array  # (n,) [-] how often in a turn the errors of the gears repeat
    gears: Array  # (12, 2 n) [rad] their amplitudes and phases
    waves: Array  # (m, 13) of the rail: `rail_errors.waves_at`
    scale: float  # [-] of the rail
    repeat: Array  # (13,) [m, rad] sigmas
    _all: Errors = field(init=False, repr=False)
    _room: Array = field(init=False, repr=False)

    def __post_init__(self) -> None:
        chains = [
            chain_of(self.geometry, n, self.loads[n - 1], self.errors[n - 1].vector, 1.0 / self.stiffness[n - 1])
            for n in ROBOTS
        ]
        everything = Errors(np.array(chains), self.numbers, self.gears, self.waves, np.array([self.scale]))
        object.__setattr__(self, "_all", everything)
        object.__setattr__(self, "_room", np.zeros(ROOM))

    def repeats(self, rng: np.random.Generator, count: int) -> Array:
        """By how much axes miss each time they come (count, 13) [m, rad]."""
        return rng.normal(size=(count, COUNT)) * self.repeat

    def plates(self, motors: ArrayLike, repeats: ArrayLike = 0.0) -> Array:
        """X_GT of both plates at rest, as rows [R row by row, p] (n, 2, 12), with motors (n, 13)."""
        told = np.ascontiguousarray(motors, np.float64)
        if told.ndim != 2 or told.shape[1] != COUNT or not np.isfinite(told).all():
            raise InputError(f"motors of the facility with shape {told.shape}; allowed: (n, {COUNT}), finite")
        missed = np.ascontiguousarray(np.broadcast_to(np.asarray(repeats, np.float64), told.shape))
        out = np.empty((len(told), 2, 12))
        true_plates(*self._all, told, missed, self._room, out)
        return out

    def tools(self, motors: ArrayLike) -> tuple[Pose, Pose]:
        """X_GT of both plates at rest, with motors (13,)."""
        rows = self.plates(np.asarray(motors, np.float64)[None])[0]
        return pose(rows[0]), pose(rows[1])

    def executed(self, motors: ArrayLike, repeat: Array | None = None, elastic: bool = False) -> Array:
        """Axes (13,) that a plant is to have, so that its plates are where the true ones are; motors told (13,).

        The plant has `errors` in its robots and a straight rail. Of rigid joints these are the links, the sag among
        it; of elastic ones, with `stiffness` in their gears, the motors' output sides.
        """
        links, wound, missed = np.empty(COUNT), np.empty(COUNT), np.zeros(COUNT) if repeat is None else repeat
        executed_axes(*self._all, np.ascontiguousarray(motors, np.float64), missed, self._room, links, wound)
        return wound if elastic else links

    def motors(self, axes: ArrayLike, repeat: Array | None = None, elastic: bool = False) -> Array:
        """What encoders show (13,) where a plant has these axes: `executed` backwards."""
        told, missed = np.empty(COUNT), np.zeros(COUNT) if repeat is None else repeat
        told_motors(*self._all, np.ascontiguousarray(axes, np.float64), elastic, missed, self._room, told)
        return told


def drawn_truth(
    seed: int, sizes: ErrorSizes | None = None, geometry: LabGeometry | None = None, loads: Loads = BARE
) -> Truth:
    """The facility of a seed. Sizes of zero leave the draws of the others as they are."""
    sizes, geometry = sizes or ErrorSizes(), geometry or LabGeometry()
    rng = stream(seed, "facility.truth")
    errors, stiffness = list[GeometryErrors](), list[Array]()
    for n in ROBOTS:
        steps = rng.normal(size=(7, 6)) * np.repeat([sizes.turn, sizes.shift], 3)
        zeros = rng.normal(size=6) * sizes.zero
        errors.append(GeometryErrors.of_vector(np.concatenate([steps.ravel(), zeros])))
        stiffness.append(stiffness_of(geometry, n) * (1.0 + sizes.stiffness * rng.uniform(-1.0, 1.0, 6)))
    shares = np.array(sizes.gear_shares) / np.linalg.norm(sizes.gear_shares)
    amplitudes = np.outer(np.tile(sizes.gear, 2), shares)
    gears = np.concatenate([amplitudes, rng.uniform(0.0, 2.0 * np.pi, amplitudes.shape)], axis=1)
    repeat = np.concatenate([[sizes.repeat_rail], np.full(12, sizes.repeat)])
    waves, scale = _waves(rng, sizes), sizes.rail_scale * rng.normal()
    both, numbers = (errors[0], errors[1]), np.array(sizes.gear_waves)
    return Truth(geometry, loads, both, np.array(stiffness), numbers, gears, waves, scale, repeat)


def _waves(rng: np.random.Generator, sizes: ErrorSizes) -> Array:
    lengths = np.array([*RAIL_LENGTHS, *RIPPLE_LENGTHS])
    long, short = np.array(RAIL_LENGTHS) / RAIL_LENGTHS[0], np.ones(len(RIPPLE_LENGTHS))
    turns = np.concatenate([sizes.rail_turn * long, sizes.ripple_turn * short])
    shifts = np.concatenate([sizes.rail_shift * long, sizes.ripple_shift * short])
    amplitudes = np.repeat(np.stack([turns, shifts], axis=1), 3, axis=1)
    phases = rng.uniform(0.0, 2.0 * np.pi, amplitudes.shape)
    return np.column_stack([2.0 * np.pi / lengths, amplitudes, phases])
