"""Numbers that a part of a drive may have."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

from freefloat.errors import InputError, unknown_name


class FieldError(InputError):
    """A field of a part of a drive with a value that it cannot have."""

    def __init__(self, part: str, field: str, value: Any, allowed: str) -> None:
        self.field, self.value, self.allowed = field, value, allowed
        super().__init__(f"{part}: {field} {value!r}; allowed: {allowed}")


def check_number(part: str, name: str, value: Any, *, above: float | None = None, least: float | None = None) -> None:
    """Refuse what is no finite number, or not in range."""
    x = float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan
    if not math.isfinite(x) or (above is not None and not x > above) or (least is not None and not x >= least):
        bound = f" > {above:g}" if above is not None else f" >= {least:g}" if least is not None else ""
        raise FieldError(part, name, value, f"a finite number{bound}")


def check_numbers(
    part: str, holder: Any, names: str, *, above: float | None = None, least: float | None = None
) -> None:
    """The same for the fields `names`."""
    for name in names.split():
        check_number(part, name, getattr(holder, name), above=above, least=least)


def check_whole(part: str, holder: Any, names: str, least: int, most: int | None = None) -> None:
    """Refuse values of the fields `names` that are no whole numbers, or not in range."""
    for name in names.split():
        value = getattr(holder, name)
        whole = isinstance(value, Integral) and not isinstance(value, bool)
        if not whole or int(value) < least or (most is not None and int(value) > most):
            allowed = f"a whole number >= {least}" if most is None else f"a whole number from {least} to {most}"
            raise FieldError(part, name, value, allowed)


def check_kind(part: str, kind: str, valid: Sequence[str]) -> None:
    """Refuse a kind that there is not, with the nearest one that there is."""
    if kind not in valid:
        raise unknown_name(f"{part} kind", str(kind), valid)
