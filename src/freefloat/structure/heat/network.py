"""Heat of a modular spacecraft: a network with one node per grid place, so that its number of states never changes.

    C dT/dt = q + heaters - sum G (T - T_neighbour) - sigma eA (T^4 - T_space^4)

A place without a module has no capacity and takes no part. What flows in and out is integrated with the weights of the
scheme itself (`step`), so that the balance of the ledger holds to rounding.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import coo_array, csr_array

from freefloat.errors import InputError, SimulationError
from freefloat.frames import Array
from freefloat.structure.heat.ledger import Ledger
from freefloat.structure.heat.steady import steady_temperatures
from freefloat.structure.heat.step import STALE, T_SPACE, Solve, Wiring, step
from freefloat.structure.node_arrays import Flags, Integers, check_amount, check_edges, check_finite, check_positive

DEEPEST = 24  # halvings of a step before the network is given up


@dataclass(frozen=True, eq=False)
class Thermostat:
    """Heaters with hysteresis, one per node: on at or below `low`, off at or above `high` [K].

    Sampled at the start of every `advance` and at least every `period`, as flight software does.
    """

    power: Array  # [W] (n,), 0 where there is no heater
    low: Array  # [K] (n,)
    high: Array  # [K] (n,)
    period: float = 10.0  # [s]

    def switched(self, on: Flags, T: Array) -> Flags:
        """Heater states after a look at the temperatures."""
        return (self.power > 0.0) & ((self.low >= T) | (on & (self.high > T)))


class HeatNetwork:
    """Temperatures of n places and what drives them. Arrays go in and out as copies.

    capacity (n,) [J/K], 0 at an empty place; edges (m, 2) of places with conductance (m,) [W/K]; radiating (n,) [m^2],
    the sum of emissivity times area of the exposed faces; temperature [K] at the start; `tolerance` [K] on the error of
    one internal step. Edges to empty places carry nothing. Copies and pickles go on bit for bit.
    """

    def __init__(
        self,
        capacity: ArrayLike,
        edges: ArrayLike = (),
        conductance: ArrayLike = (),
        radiating: ArrayLike = 0.0,
        temperature: ArrayLike = 293.15,
        thermostat: Thermostat | None = None,
        tolerance: float = 1e-6,
    ) -> None:
        self._capacity = np.zeros(np.size(capacity))
        self._T = np.full(self.n, T_SPACE)
        self._on = np.zeros(self.n, dtype=np.bool_)
        self._ledger = Ledger()
        self._level = 0  # the internal step is dt / 2^level
        self._linear: tuple[Array, float] | None = None  # temperatures and step of the factorisation
        self._solve: Solve | None = None
        self.tolerance = tolerance
        self.thermostat = thermostat
        T = check_positive(self.n, temperature, "temperature")
        self._capacity = check_amount(self.n, capacity, "heat capacity")
        self._T = np.where(self._capacity > 0.0, T, T_SPACE)
        self.rewire(capacity, edges, conductance, radiating, thermostat)
        self._ledger = Ledger(initial=self._ledger.stored, stored=self._ledger.stored)

    @property
    def n(self) -> int:
        return len(self._capacity)

    @property
    def T(self) -> Array:
        """Temperatures [K] (n,); deep space at an empty place."""
        return self._T.copy()

    @property
    def capacity(self) -> Array:
        """[J/K] (n,)"""
        return self._capacity.copy()

    @property
    def heating(self) -> Array:
        """Power of the heaters that are on [W] (n,)."""
        return np.zeros(self.n) if self.thermostat is None else np.where(self._on, self.thermostat.power, 0.0)

    @property
    def ledger(self) -> Ledger:
        return self._ledger

    def rewire(
        self,
        capacity: ArrayLike,
        edges: ArrayLike,
        conductance: ArrayLike,
        radiating: ArrayLike,
        thermostat: Thermostat | None = None,
    ) -> None:
        """New arrays after a reconfiguration (thermostat None: as before); temperatures stay with their places.

        A place that was empty must have got its module by `move` or `insert` before. Where a capacity changes or a
        module leaves, the ledger books the heat as carried.
        """
        C = check_amount(self.n, capacity, "heat capacity")
        new = np.flatnonzero((C > 0.0) & (self._capacity == 0.0))
        if len(new):
            raise InputError(f"place {new[0]} is filled but has no temperature; move or insert its module first")
        if thermostat is not None:
            for name in ("power", "low", "high"):
                check_finite(self.n, getattr(thermostat, name), f"thermostat {name}")
        e = check_edges(self.n, edges)
        G = check_amount(len(e), conductance, "conductance")
        eA = check_amount(self.n, radiating, "radiating area")
        self._edges, self._G, self._eA = e, G, eA
        self.thermostat = self.thermostat if thermostat is None else thermostat
        before = _stored(self._capacity, self._T)
        self._capacity = C
        self._T[C == 0.0] = T_SPACE
        self._book(carried=_stored(C, self._T) - before)
        self._wire()

    def move(self, a: int, b: int) -> None:
        """The module at place a goes to the empty place b with its heat; `rewire` follows with the new edges."""
        if self._capacity[b] > 0.0 or not self._capacity[a] > 0.0:
            raise InputError(f"heat moves from an occupied to an empty place, got {a} to {b}")
        for values in (self._T, self._capacity, self._on, self._eA):
            values[b] = values[a]
        self._T[a], self._capacity[a], self._on[a], self._eA[a] = T_SPACE, 0.0, False, 0.0
        self._book()
        self._wire()

    def insert(self, place: int, capacity: float, temperature: float) -> None:
        """A module comes from outside with its heat; `rewire` follows with the new edges."""
        if self._capacity[place] > 0.0:
            raise InputError(f"place {place} already holds a module")
        self._capacity[place], self._T[place] = capacity, temperature
        self._book(carried=capacity * temperature)
        self._wire()

    def advance(self, dt: float, dissipated: ArrayLike = 0.0, absorbed: ArrayLike = 0.0) -> Array:
        """Go on by dt [s] under constant inputs [W] (n,), and return the temperatures [K].

        Input at an empty place is not taken. Internal steps are dt / 2^k, chosen by the error estimate.
        """
        if not (np.isfinite(dt) and dt >= 0.0):
            raise InputError(f"a heat network advances by a finite time, got {dt} s")
        inside = self._places
        q_d = check_finite(self.n, dissipated, "dissipation")[inside]
        q_a = check_finite(self.n, absorbed, "absorbed power")[inside]
        chunks = 1 if self.thermostat is None else max(1, int(np.ceil(dt / self.thermostat.period * (1.0 - 1e-12))))
        for _ in range(chunks):
            self._switch_heaters()
            self._march(dt / chunks, q_d, q_a)
        return self.T

    def steady(self, q: ArrayLike) -> Array:
        """Temperatures [K] (n,) at which the constant inputs q [W] are all radiated; heaters off.

        A group of places that cannot radiate has none: infinite with a positive input, else its mean temperature now.
        """
        T = self._T.copy()
        T[self._places] = steady_temperatures(self._wiring, check_finite(self.n, q, "q")[self._places], T[self._places])
        return T

    def _march(self, dt: float, q_d: Array, q_a: Array) -> None:
        heating = self.heating[self._places]
        q = q_d + q_a + heating
        T, radiated = self._T[self._places], 0.0
        done, whole = 0, 2**DEEPEST  # progress in units of dt / 2^DEEPEST
        while done < whole and dt > 0.0 and len(T):
            h = dt / 2**self._level
            if self._linear is None or self._linear[1] != h:
                self._factor(T, h)
            elif self._solve is None:  # after a copy
                self._factor(*self._linear)
            assert self._solve is not None
            trial = step(self._wiring, T, q, h, self._solve)
            if not trial.converged and self._linear is not None and self._linear[0] is not T:
                self._factor(T, h)
                continue
            if not trial.error <= self.tolerance:
                self._refine()
                continue
            T, radiated = trial.T, radiated + trial.radiated
            done += whole >> self._level
            if trial.corrections >= STALE:
                self._factor(T, h)
            self._coarsen(trial.error, done)
        self._T[self._places] = T
        self._book(
            dissipated=dt * float(q_d.sum()),
            absorbed=dt * float(q_a.sum()),
            heaters=dt * float(heating.sum()),
            radiated=radiated,
        )

    def _refine(self) -> None:
        if self._level == DEEPEST:
            raise SimulationError("heat network: no internal step is small enough for the tolerance")
        self._level += 1

    def _coarsen(self, error: float, done: int) -> None:
        """Twice the step where its error would be small enough by far, and where it ends on its own grid."""
        if self._level and error < self.tolerance / 50.0 and done % (2 ** (DEEPEST - self._level + 1)) == 0:
            self._level -= 1

    def _switch_heaters(self) -> None:
        if self.thermostat is not None:
            self._on = self.thermostat.switched(self._on, self._T) & (self._capacity > 0.0)

    def _factor(self, T: Array, h: float) -> None:
        self._linear = (T, h)
        self._solve = self._wiring.factor(T, h)

    def _wire(self) -> None:
        """The matrices of the occupied places."""
        self._places: Integers = np.flatnonzero(self._capacity > 0.0)
        self._wiring = _wiring(self._capacity, self._edges, self._G, self._eA, self._places)
        self._linear = self._solve = None

    def _book(self, **amounts: float) -> None:
        sums = {name: getattr(self._ledger, name) + value for name, value in amounts.items()}
        self._ledger = replace(self._ledger, stored=_stored(self._capacity, self._T), **sums)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_solve": None}


def _wiring(capacity: Array, edges: Integers, G: Array, eA: Array, places: Integers) -> Wiring:
    local = np.full(len(capacity), -1, dtype=np.int64)
    local[places] = np.arange(len(places))
    kept = (local[edges] >= 0).all(axis=1) & (G > 0.0)
    i, j = local[edges[kept]].T
    g = G[kept]
    rows, columns = np.concatenate([i, j, i, j]), np.concatenate([i, j, j, i])
    entries = coo_array((np.concatenate([g, g, -g, -g]), (rows, columns)), shape=(len(places), len(places)))
    return Wiring(capacity[places], csr_array(entries), eA[places])


def _stored(capacity: Array, T: Array) -> float:
    """Heat [J] of all places; not by BLAS, whose threads cost more than the sum from 10,000 places on."""
    return float((capacity * T).sum())
