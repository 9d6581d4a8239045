"""Which modules hold others: how many would come off with each, by one walk through the structure.

Depth-first search with low points (Hopcroft and Tarjan 1973): what hangs below a module in the search's tree and has no
other way up comes off with it.
"""

from __future__ import annotations

import numpy as np

from freefloat.compiled import inner
from freefloat.gnc.planning.reconfiguration.problem import Indices
from freefloat.gnc.planning.reconfiguration.rules import Tables, closes


@inner
def come_off(t: Tables, content: Indices, root: int) -> Indices:
    """(n,) modules that have no way to the module at `root` without the one at a place; 0 at the root itself."""
    n, sides = content.shape[0], t.facing.shape[0]
    order, low = np.zeros(n, np.int64), np.zeros(n, np.int64)  # order from 1
    size, off = np.ones(n, np.int64), np.zeros(n, np.int64)
    above, next_side = np.full(n, -1, np.int64), np.zeros(n, np.int64)
    place, count = root, 1
    order[root] = low[root] = 1
    while place >= 0:
        if next_side[place] < sides:
            side = next_side[place]
            next_side[place] += 1
            if not closes(t, content, place, side, int(content[place])):
                continue
            other = t.neighbours[place, side]
            if order[other] == 0:
                count += 1
                order[other] = low[other] = count
                above[other] = place
                place = other
            elif other != above[place]:
                low[place] = min(low[place], order[other])
            continue
        up = above[place]
        if up >= 0:
            low[up] = min(low[up], low[place])
            size[up] += size[place]
            if low[place] >= order[up] and up != root:
                off[up] += size[place]
        place = up
    return off
