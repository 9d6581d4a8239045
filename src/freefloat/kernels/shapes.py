"""The shapes of all links as a table in the plant's memory: what they are, on which body, and where in the world.

A row of SHAPES is [kind, sizes (3), mesh, body, p_LG (3), q_LG (4)], with sizes as in `geometry.shape.Shape` (zero
where a kind has fewer) and the number of its mesh (-1: none). Rows stand in the order of their bodies: those of body b
are SHAPE_ROWS[b, 0] to SHAPE_ROWS[b, 1] - 1. Both follow every change of structure, shapes and contents; who names a
link by its body always finds its present shapes.
"""

from __future__ import annotations

from freefloat.kernels import handle as H
from freefloat.kernels.handle import imat, mat
from freefloat.kernels.jit import kernel
from freefloat.kernels.poses import fixed_pose

BOX, SPHERE, CYLINDER, CAPSULE, MESH = range(5)  # values of KIND
KIND, SIZE, NUMBER, BODY = 0, 1, 4, 5  # columns; NUMBER is that of the mesh
SHAPE_COLUMNS = 13


@kernel
def shapes_of(h, body):
    """First row of a body's shapes, and the row behind the last."""
    rows = imat(h, H.SHAPE_ROWS)[body]
    return rows[0], rows[1]


@kernel
def shape_pose(h, row, p, q):
    """p_WG [m] and q_WG (w >= 0) of a shape, where the bodies were evaluated last."""
    fixed_pose(h, mat(h, H.SHAPES)[row, BODY:], p, q)
