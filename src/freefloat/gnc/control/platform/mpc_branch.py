"""Branch and bound over binary variables on daqp, within a fixed number of its iterations.

daqp's own search over binary constraints finds the same optimum, but its `iter_limit` holds for each node and not for
the tree, and when it stops early it hands out no incumbent. Here the iterations of all nodes are counted, so that the
answer depends on nothing but the problem.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from freefloat.frames import Array
from freefloat.gnc.planning import optional

WHOLE = 1e-6  # a binary so near to 0 or 1 has that value; daqp's primal tolerance
SOLVED, INFEASIBLE = 1, -1  # exit flags of daqp
NODE_ITERATIONS = 500  # of daqp in one relaxation; some 20 to 50 are usual


@dataclass(frozen=True, eq=False)
class Pulses:
    """What the search found."""

    u: Array | None  # (n,) the best point with whole binaries, none if there was none yet
    cost: float
    iterations: int  # of daqp over all nodes
    nodes: int
    optimal: bool  # the whole tree was searched, and no relaxation failed


def branch_and_bound(
    H: Array, f: Array, A: Array, upper: Array, lower: Array, binaries: int, iterations: int, wall: float | None = None
) -> Pulses:
    """min 1/2 u'Hu + f'u, lower <= [u; A u] <= upper, the first `binaries` of u at 0 or 1.

    Depth first, the nearer side first, the earliest fractional binary; every relaxation starts from the active set of
    the one before. Stops at the first node after `iterations`, or after `wall` seconds if given (not reproducible).
    """
    solver = optional.daqp().Model()
    solver.setup(H, f, A, upper, lower, np.zeros(upper.size, np.int32))
    solver.settings = {"iter_limit": NODE_ITERATIONS, "eq_reduction": -1}
    best, cost, spent, nodes, failed = None, np.inf, 0, 0, False
    until = np.inf if wall is None else time.monotonic() + wall
    stack = [(upper, lower)]
    while stack and spent < iterations and (wall is None or time.monotonic() < until):
        above, below = stack.pop()
        if nodes > 0:
            solver.update(bupper=above, blower=below)
        u, value, flag, info = solver.solve()
        spent, nodes = spent + info["iterations"], nodes + 1
        failed = failed or (flag < SOLVED and flag != INFEASIBLE)
        if flag < SOLVED or value >= cost - 1e-9:
            continue
        part = np.minimum(u[:binaries], 1.0 - u[:binaries]) > WHOLE
        if not part.any():
            best, cost = u, value
            continue
        j = int(np.argmax(part))
        closed, opened = above.copy(), below.copy()
        closed[j], opened[j] = 0.0, 1.0
        sides = [(closed, below), (above, opened)]
        stack += sides if u[j] > 0.5 else sides[::-1]
    return Pulses(best, float(cost), spent, nodes, not stack and not failed)
