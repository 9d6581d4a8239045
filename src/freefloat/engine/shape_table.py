"""The links' shapes as rows for compiled code (`kernels.shapes`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from freefloat.engine.graph import Link, Vector
from freefloat.engine.tree import Tree
from freefloat.errors import unknown_name
from freefloat.geometry.shape import Shape
from freefloat.kernels import handle as H
from freefloat.kernels import shapes as K

KINDS = {"box": K.BOX, "sphere": K.SPHERE, "cylinder": K.CYLINDER, "capsule": K.CAPSULE, "mesh": K.MESH}


class _Block(NamedTuple):
    shapes: tuple[Shape, ...]
    rows: Vector  # (n, SHAPE_COLUMNS), their body not yet written


_EMPTY = _Block((), np.zeros((0, K.SHAPE_COLUMNS)))


class ShapeTable:
    """The rows of a plant, kept by link so that a change costs little in a structure of thousands of modules."""

    def __init__(self) -> None:
        self.meshes: list[str] = []  # files, by the number that stands in a row
        self.on_change: Callable[[], None] | None = None
        self._blocks: dict[str, _Block] = {}
        self._rows: dict[str, range] = {}

    def bind(self, memory: H.Memory, tree: Tree, links: Mapping[str, Link]) -> None:
        """Write the table of these links, whose bodies are those of the tree."""
        order = sorted(links, key=tree.body.__getitem__)
        ranges = memory.bind(H.SHAPE_ROWS, np.zeros((tree.model.nbody, 2), dtype=np.int64))
        self._blocks = {name: self._block(name, links[name].shapes) for name in order}
        table = np.concatenate([_EMPTY.rows, *(block.rows for block in self._blocks.values())])
        n = 0
        for name, block in self._blocks.items():
            rows = range(n, n + len(block.rows))
            table[rows.start : rows.stop, K.BODY] = tree.body[name]
            ranges[tree.body[name]] = rows.start, rows.stop
            self._rows[name] = rows
            n = rows.stop
        memory.bind(H.SHAPES, table)
        if self.on_change is not None:
            self.on_change()

    def rows(self, link: str) -> range:
        """Where the shapes of a link stand now, in their order."""
        if link not in self._rows:
            raise unknown_name("link", link, self._rows)
        return self._rows[link]

    def _block(self, link: str, shapes: tuple[Shape, ...]) -> _Block:
        """Rows of a link's shapes; those of shapes that it had before are taken over."""
        old = self._blocks.get(link, _EMPTY)
        if shapes is old.shapes:
            return old
        at = {id(shape): k for k, shape in enumerate(old.shapes)}
        known = np.array([at.get(id(shape), -1) for shape in shapes], dtype=np.int64)
        rows = np.zeros((len(shapes), K.SHAPE_COLUMNS))
        rows[known >= 0] = old.rows[known[known >= 0]]
        new = np.flatnonzero(known < 0).tolist()
        rows[new] = self._made([shapes[k] for k in new])
        return _Block(shapes, rows)

    def _made(self, shapes: Sequence[Shape]) -> Vector:
        rows = np.zeros((len(shapes), K.SHAPE_COLUMNS))
        for row, shape in zip(rows, shapes, strict=True):
            row[K.KIND] = KINDS[shape.kind]
            row[K.SIZE : K.SIZE + len(shape.size)] = shape.size
            row[K.NUMBER] = self._number(shape.mesh) if shape.kind == "mesh" else -1.0
            row[K.BODY + 1 : K.BODY + 4], row[K.BODY + 4 :] = shape.X_LG.p, shape.X_LG.q
        return rows

    def _number(self, mesh: str) -> int:
        if mesh not in self.meshes:
            self.meshes.append(mesh)
        return self.meshes.index(mesh)
