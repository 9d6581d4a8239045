"""Which modules have power: a path search over closed interfaces to a source.

The graph has one node per module or grid place and one edge per closed interface that carries power. A node that does
not conduct, because it has no power role, is absent or has failed, blocks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import coo_array
from scipy.sparse.csgraph import breadth_first_order

from freefloat.structure.node_arrays import Flags, Integers, check_edges, check_flags


def supply_tree(n: int, edges: ArrayLike, source: ArrayLike, conducting: ArrayLike) -> Integers:
    """Parent of each node on a shortest path from a source (n,): itself at a source, -1 without power.

    Breadth-first from all conducting sources at once, by one more node that is joined to every source.
    """
    e = check_edges(n, edges)
    conducts = check_flags(n, conducting, "conducting")
    roots = np.flatnonzero(check_flags(n, source, "source") & conducts)
    e = e[conducts[e].all(axis=1)]
    ends = np.concatenate([e, np.column_stack([np.full(len(roots), n), roots])])
    ones = np.ones(len(ends), dtype=np.int32)
    graph = coo_array((ones, (ends[:, 0], ends[:, 1])), shape=(n + 1, n + 1)).tocsr()
    reached, parent = breadth_first_order(graph, n, directed=False)
    tree = np.full(n + 1, -1, dtype=np.int64)
    tree[reached] = parent[reached]
    tree[roots] = roots
    return tree[:n]


def powered(n: int, edges: ArrayLike, source: ArrayLike, conducting: ArrayLike) -> Flags:
    """Whether each of n nodes has a path of conducting nodes over `edges` (m, 2) to a source, (n,)."""
    return supply_tree(n, edges, source, conducting) >= 0


def supply_path(tree: Integers, node: int) -> list[int]:
    """Nodes from `node` to its source by the parents of `supply_tree`; empty without power."""
    if tree[node] < 0:
        return []
    path = [int(node)]
    while int(tree[path[-1]]) != path[-1]:
        path.append(int(tree[path[-1]]))
    return path
