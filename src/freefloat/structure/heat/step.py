"""One implicit step of a thermal network: ESDIRK of order 4 with an error estimate of order 3.

    C dT/dt = f(T) = q - L T - sigma eA (T^4 - T_s^4)

L is the Laplacian of the conductances. The tableau is the implicit part of ARK4(3)6L[2]SA (Kennedy and Carpenter,
Appl. Numer. Math. 44, 2003, app. C): six stages, the first explicit, the others with one diagonal entry, L-stable and
stiffly accurate, so that one factorisation serves every stage and a stiff link cannot ring.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_array, csr_array, diags_array
from scipy.sparse.linalg import splu

from freefloat.frames import Array

SIGMA = 5.670374e-8  # [W/m^2/K^4] Stefan-Boltzmann
T_SPACE = 2.7  # [K] deep space

GAMMA = 0.25
A = np.zeros((6, 6))
A[1, :2] = 1 / 4, 1 / 4
A[2, :3] = 8611 / 62500, -1743 / 31250, 1 / 4
A[3, :4] = 5012029 / 34652500, -654441 / 2922500, 174375 / 388108, 1 / 4
A[4, :5] = 15267082809 / 155376265600, -71443401 / 120774400, 730878875 / 902184768, 2285395 / 8070912, 1 / 4
A[5] = 82889 / 524892, 0.0, 15625 / 83664, 69875 / 102672, -2260 / 8211, 1 / 4
B = A[5]
B_LOW = np.array(
    [4586570599 / 29645900160, 0.0, 178811875 / 945068544, 814220225 / 1159782912, -3700637 / 11593932, 61727 / 225920]
)

NEWTON_TOLERANCE = 1e-9  # [K] largest last correction of a stage
NEWTON_LIMIT = 12  # corrections before the step is given up
STALE = 4  # corrections of a stage from which on the factorisation is renewed

Solve = Callable[[Array], Array]


@dataclass(frozen=True, eq=False)
class Wiring:
    """The nodes that hold heat and what joins them: capacity [J/K], Laplacian [W/K], radiating area eA [m^2]."""

    capacity: Array  # (k,), all positive
    laplacian: csr_array  # (k, k)
    radiating: Array  # (k,)

    def radiated(self, T: Array) -> Array:
        """Net power to deep space [W]."""
        return SIGMA * self.radiating * (T**4 - T_SPACE**4)

    def slope(self, T: Array) -> csc_array:
        """-df/dT [W/K]."""
        return csc_array(self.laplacian + diags_array(4.0 * SIGMA * self.radiating * T**3))

    def factor(self, T: Array, h: float) -> Solve:
        """Solver of (C + h gamma (-df/dT)) x = b."""
        matrix = csc_array(diags_array(self.capacity) + h * GAMMA * self.slope(T))
        return splu(matrix, permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True}, diag_pivot_thresh=0.0).solve


@dataclass(frozen=True, eq=False)
class Step:
    """Result of one step: temperatures [K], energy radiated [J], error [K], most Newton corrections of a stage."""

    T: Array
    radiated: float
    error: float
    corrections: int

    @property
    def converged(self) -> bool:
        return self.corrections <= NEWTON_LIMIT


def step(wiring: Wiring, T: Array, q: Array, h: float, solve: Solve) -> Step:
    """Advance T by h [s] under constant inputs q [W]; `radiated` uses the weights of the scheme.

    Heat is conserved to the last Newton correction: sum(C (T' - T)) = h sum(q) - radiated.
    """
    C = wiring.capacity
    stage, most = T, 0
    flows = np.empty((6, len(T)))
    radiation = np.empty(6)
    for i in range(6):
        if i:
            known = C * T + h * (A[i, :i] @ flows[:i])
            stage, count = _solve_stage(wiring, known, q, h, stage, solve)
            most = max(most, count)
            if most > NEWTON_LIMIT:
                return Step(T, 0.0, np.inf, most)
        loss = wiring.radiated(stage)
        radiation[i] = loss.sum()
        flows[i] = q - wiring.laplacian @ stage - loss
    error = solve(h * ((B - B_LOW) @ flows))
    return Step(stage, h * float(B @ radiation), float(np.abs(error).max(initial=0.0)), most)


def _solve_stage(wiring: Wiring, known: Array, q: Array, h: float, T: Array, solve: Solve) -> tuple[Array, int]:
    """Simplified Newton on C T - h gamma f(T) = known; the number of corrections, NEWTON_LIMIT + 1 where it fails."""
    for count in range(1, NEWTON_LIMIT + 1):
        flow = q - wiring.laplacian @ T - wiring.radiated(T)
        correction = solve(known + h * GAMMA * flow - wiring.capacity * T)
        T = T + correction
        size = float(np.abs(correction).max(initial=0.0))
        if not size < 1e6 or T.min(initial=1.0) <= 0.0:
            break
        if size <= NEWTON_TOLERANCE:
            return T, count
    return T, NEWTON_LIMIT + 1
