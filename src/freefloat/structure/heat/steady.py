"""Steady temperatures of a thermal network."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import splu

from freefloat.errors import SimulationError
from freefloat.frames import Array
from freefloat.structure.heat.step import SIGMA, T_SPACE, Wiring


def steady_temperatures(wiring: Wiring, q: Array, start: Array) -> Array:
    """Newton on L T + sigma eA (T^4 - T_s^4) = q, from one temperature per connected group."""
    k = len(q)
    if k == 0:
        return q.copy()
    count, group = connected_components(wiring.laplacian, directed=False)
    area, heat, C = (np.bincount(group, w, count) for w in (wiring.radiating, q, wiring.capacity))
    mean = np.bincount(group, wiring.capacity * start, count) / C
    with np.errstate(divide="ignore", invalid="ignore"):
        level = (np.maximum(heat / (SIGMA * area), 0.0) + T_SPACE**4) ** 0.25
    level = np.where(area > 0.0, level, np.where(heat > 0.0, np.inf, mean))
    T = level[group]
    inside = np.flatnonzero(area[group] > 0.0)
    if len(inside):
        laplacian = csr_array(csr_array(wiring.laplacian[inside])[:, inside])
        part = Wiring(wiring.capacity[inside], laplacian, wiring.radiating[inside])
        T[inside] = _steady_newton(part, q[inside], T[inside])
    return T


def _steady_newton(wiring: Wiring, q: Array, T: Array) -> Array:
    for _ in range(200):
        residual = q - wiring.laplacian @ T - wiring.radiated(T)
        correction = splu(wiring.slope(T)).solve(residual)
        new = np.maximum(T + correction, 0.5 * T)
        if np.abs(new - T).max() <= 1e-10 * max(1.0, float(np.abs(T).max())):
            return new
        T = new
    raise SimulationError("heat network: no steady temperatures found; is more heat taken out than goes in?")
