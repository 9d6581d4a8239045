"""Reference solutions by SUNDIALS' CVODE (Hindmarsh and others, "SUNDIALS", ACM TOMS 31, 2005).

BDF to order 5 stands any stiffness. Adams to order 12 takes fewer steps where accuracy, not stiffness, limits them.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import InputError, SimulationError
from freefloat.extras import imported
from freefloat.frames import Array

Rates = Callable[[float, Array], Array]  # x' of (t, x)
Hold = Callable[[int, float, Array], None]  # called with number, instant and state of each sample

Method = Literal["BDF", "Adams"]

RTOL = 1e-10
_STEPS = 10_000_000


def solve(
    rates: Rates,
    x0: ArrayLike,
    times: ArrayLike,
    *,
    atol: ArrayLike,
    rtol: float = RTOL,
    method: Method = "BDF",
    jacobian: Rates | None = None,
    period: float | None = None,
    hold: Hold | None = None,
) -> Array:
    """The states (len(times), len(x0)) at increasing `times`, from x0 at the first of them.

    With a `period` [s] the solver starts anew at every sample k * period after times[0], after hold(k, t, x): what is
    held between samples then has no kink inside a step. `jacobian` gives dx'/dx; without it, by differences.
    """
    t, x = np.asarray(times, dtype=np.float64), np.array(x0, dtype=np.float64)
    if t.ndim != 1 or t.size < 2 or not np.all(np.diff(t) > 0.0):
        raise InputError(f"times must increase and be two at least, not {t.tolist() if t.size < 9 else t.shape}")
    tolerances = np.broadcast_to(np.asarray(atol, dtype=np.float64), x.shape)
    solver = _solver(rates, tolerances, rtol, method, jacobian)
    rows = np.empty((t.size, x.size))
    rows[0] = x
    with np.errstate(divide="ignore", invalid="ignore"):  # branches that are not taken divide by zero
        for k, (start, end) in enumerate(pairwise(_samples(t, period))):
            if hold is not None:
                hold(k, start, x)
            solver.init_step(start, x)
            for i in np.flatnonzero((t > start) & (t <= end)):
                rows[i] = x = _step(solver, t[i], end)
            if not (t == end).any():
                x = _step(solver, end, end)
    return rows


def _samples(t: Array, period: float | None) -> Array:
    """Instants at which the solver starts, and the end; instants of `times` that are samples to rounding are both."""
    if period is None:
        return t[[0, -1]]
    count = int(np.ceil((t[-1] - t[0]) / period * (1.0 - 1e-12)))
    instants = t[0] + period * np.arange(count)
    nearest = t[np.clip(np.searchsorted(t, instants - 0.5 * period * 1e-6), 0, t.size - 1)]
    return np.append(np.where(np.abs(nearest - instants) < 1e-6 * period, nearest, instants), t[-1])


def _solver(rates: Rates, atol: Array, rtol: float, method: Method, jacobian: Rates | None) -> Any:
    cvode = imported("sksundae", "verify", "stiff references need").cvode.CVODE
    options: dict[str, Any] = {"rtol": rtol, "atol": atol.copy(), "method": method, "max_num_steps": _STEPS}

    def right_hand_side(t: float, x: Array, xd: Array) -> None:
        xd[:] = rates(t, x)

    if jacobian is not None:

        def fill(t: float, x: Array, xd: Array, J: Array) -> None:
            J[:] = jacobian(t, x)

        options["jacfn"] = fill
    return cvode(right_hand_side, **options)


def _step(solver: Any, t: float, end: float) -> Array:
    answer = solver.step(t, tstop=end)
    if not answer.success:
        raise SimulationError(f"CVODE stopped at t = {float(np.ravel(answer.t)[-1]):g} s: {answer.message}")
    return np.array(answer.y, dtype=np.float64).ravel()
