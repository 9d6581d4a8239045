"""What a shape accepts."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import freefloat as ff
from freefloat.errors import InputError


def test_a_shape_keeps_its_name() -> None:
    shape = ff.Shape("sphere", (0.1,), name="finger tip")
    assert (shape.name, ff.Shape("sphere", (0.1,)).name) == ("finger tip", "")
    assert pickle.loads(pickle.dumps(shape)).name == "finger tip"


@pytest.mark.parametrize("bad", [None, 3, b"tip", ("tip",)])
def test_a_name_that_is_no_text_is_refused(bad: Any) -> None:
    with pytest.raises(InputError, match=r"shape: name .*; allowed: text"):
        ff.Shape("sphere", (0.1,), name=bad)


@pytest.mark.parametrize(
    ("kind", "size"), [("cone", (1.0,)), ("box", (1.0,)), ("sphere", (float("nan"),)), ("capsule", (1.0, 2.0, 3.0))]
)
def test_kinds_and_sizes_are_checked(kind: Any, size: tuple[float, ...]) -> None:
    with pytest.raises(InputError, match=r"^shape.*: (kind|size).*; allowed"):
        ff.Shape(kind, size)
