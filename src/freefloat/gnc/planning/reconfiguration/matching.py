"""Which module should go where, if each went straight: the assignment of least total cost, and its prices.

The Hungarian method with potentials (Kuhn 1955; the shortest augmenting paths of Jonker and Volgenant 1987). Prices
tell what a choice costs all others: c[t, s] - to[t] - of[s] >= 0, and 0 on the best assignment.
"""

from __future__ import annotations

import numpy as np

from freefloat.compiled import onboard
from freefloat.frames import Array


@onboard
def prices(cost: Array) -> tuple[Array, Array]:
    """Prices (rows,), (columns,) of the best assignment of every row to a column of its own; rows <= columns."""
    rows, columns = cost.shape
    to, of = np.zeros(rows + 1), np.zeros(columns + 1)
    row_of, way = np.zeros(columns + 1, np.int64), np.zeros(columns + 1, np.int64)
    slack, used = np.empty(columns + 1), np.empty(columns + 1, np.bool_)
    for row in range(1, rows + 1):
        row_of[0] = row
        at = 0
        slack[:] = np.inf
        used[:] = False
        while True:
            used[at] = True
            here, nearest, following = row_of[at], np.inf, 0
            for column in range(1, columns + 1):
                if not used[column]:
                    reduced = cost[here - 1, column - 1] - to[here] - of[column]
                    if reduced < slack[column]:
                        slack[column], way[column] = reduced, at
                    if slack[column] < nearest:
                        nearest, following = slack[column], column
            for column in range(columns + 1):
                if used[column]:
                    to[row_of[column]] += nearest
                    of[column] -= nearest
                else:
                    slack[column] -= nearest
            at = following
            if row_of[at] == 0:
                break
        while at != 0:
            before = way[at]
            row_of[at] = row_of[before]
            at = before
    return to[1:].copy(), of[1:].copy()
