"""Notes that banks leave while compiled code runs, by name."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from freefloat.kernels import handle as H
from freefloat.kernels.bank import Bank
from freefloat.kernels.banks import BANKS, T, number_of
from freefloat.kernels.notes import NOTE

if TYPE_CHECKING:
    from freefloat.engine.plant import Plant


@dataclass(frozen=True)
class Note:
    """Something that happened in a row of a bank."""

    t: float  # [s]
    bank: str
    row: str
    kind: int  # of the bank's own
    numbers: tuple[float, ...]
    text: str | None  # what the event log says of it; None: nothing


def taken_from(plant: Plant, until: float = math.inf) -> list[Note]:
    """What banks have noted up to an instant [s] in a plant's memory, from which it is gone then."""
    if not hasattr(plant, "memory") or plant.memory[H.PHASE][H.NOTED] == 0:
        return []
    banks, found = [*BANKS, *plant.own_banks.values()], list[Note]()
    names = [[row.name for row in plant.blueprint.rows.values() if row.bank.name == bank.name] for bank in banks]
    held = int(plant.memory[H.PHASE][H.NOTED])
    notes = plant.memory[H.NOTES][:held]
    n = int(np.searchsorted(notes[:, NOTE.t], until, side="right"))
    for note in notes[:n]:
        b, r, kind = (int(n) for n in note[[NOTE.bank, NOTE.row, NOTE.kind]])
        numbers, tell = tuple(float(n) for n in note[NOTE.numbers :]), banks[b].tell
        text = None if tell is None else tell(kind, numbers)
        found.append(Note(float(note[NOTE.t]), banks[b].name, names[b][r], kind, numbers, text))
    notes[: held - n] = notes[n:].copy()
    plant.memory[H.PHASE][H.NOTED] = held - n
    return found


def states_of(plant: Plant, bank: Bank) -> dict[str, dict[str, float]]:
    """What every row of a built-in bank holds now, by name: its states, and what it keeps."""
    z, n, found = plant.memory[H.X][plant.tree.model.nq + plant.tree.model.nv :], 0, dict[str, dict[str, float]]()
    first, kept = int(plant.memory[H.BANK_TABLE][number_of(bank)][T.kept]), len(bank.kept)
    for row in plant.blueprint.rows.values():
        if row.bank is bank:
            names = [*(s.name for s in bank.states[: len(row.states)]), *(c.name for c in bank.kept)]
            at = first + len(found) * kept
            numbers = [*z[n : n + len(row.states)], *plant.memory[H.KEPT][at : at + kept]]
            found[row.name] = dict(zip(names, (float(v) for v in numbers), strict=True))
        n += len(row.states)
    return found
