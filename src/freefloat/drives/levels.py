"""Drives for all joints of a robot from the names of levels and of drives."""

from __future__ import annotations

from collections.abc import Sequence

from freefloat.drives.catalogue import load_drive
from freefloat.drives.joint_drive import JointDrive
from freefloat.errors import FieldError


def drives_at(levels: str | Sequence[str], drives: str | Sequence[str], n: int, where: str) -> list[JointDrive | None]:
    """A drive for each of n joints; one name of a level, or of a drive, stands for all. None where it is ideal.

    `where` starts messages: the group of fields that they come from.
    """
    level = [levels] * n if isinstance(levels, str) else list(levels)
    if len(level) != n:
        raise FieldError(f"{where}.drives", f"{len(level)} levels for {n} joints; allowed: one, or {n}")
    if all(one == "ideal" for one in level):
        return [None] * n
    names = [drives] * n if isinstance(drives, str) else list(drives)
    if len(names) != n:
        raise FieldError(f"{where}.drive", f"{len(names)} drives for {n} joints; allowed: one, or {n}")
    return [load_drive(name).at(one) for name, one in zip(names, level, strict=True)]
