"""Which modules have power: a path search over closed interfaces to a source.

The graph has one node per module or grid place and one edge per closed interface that carries power. A node that does
not conduct, because it has no power role, is absent or has failed, blocks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import coo_array
from scipy.sparse.csgraph import breadth_first_order

from freefloat.structure.node_arrays import Flags, check_edges, check_flags


def powered(n: int, edges: ArrayLike, source: ArrayLike, conducting: ArrayLike) -> Flags:
    """Whether each of n nodes has a path of conducting nodes over `edges` (m, 2) to a source, (n,).

    Breadth-first from all conducting sources at once, by one more node that is joined to every source.
    """
    e = check_edges(n, edges)
    conducts = check_flags(n, conducting, "conducting")
    roots = np.flatnonzero(check_flags(n, source, "source") & conducts)
    e = e[conducts[e].all(axis=1)]
    ends = np.concatenate([e, np.column_stack([np.full(len(roots), n), roots])])
    ones = np.ones(len(ends), dtype=np.int32)
    graph = coo_array((ones, (ends[:, 0], ends[:, 1])), shape=(n + 1, n + 1)).tocsr()
    found = np.zeros(n + 1, dtype=np.bool_)
    found[breadth_first_order(graph, n, directed=False, return_predecessors=False)] = True
    return found[:n]
