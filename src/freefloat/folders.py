"""Folders of runs: numbered, never one that exists."""

from __future__ import annotations

from pathlib import Path


def next_folder(parent: Path, name: str) -> Path:
    """PARENT/NAME-NNN, made now, with the number after the largest that is there."""
    parent.mkdir(exist_ok=True)
    used = [p.name.removeprefix(f"{name}-") for p in parent.iterdir() if p.name.startswith(f"{name}-")]
    number = max((int(n) for n in used if n.isascii() and n.isdigit()), default=0)
    while True:
        number += 1
        folder = parent / f"{name}-{number:03d}"
        try:
            folder.mkdir()
        except FileExistsError:  # another run took it in the meantime
            continue
        return folder
