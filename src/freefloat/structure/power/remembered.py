"""Solutions of a DC network that are kept: what is asked again has the same answer, to the last bit."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from freefloat.structure.power.flow import Flow, solve_power
from freefloat.structure.power.network import PowerNetwork

ROOM = 8  # solutions: those before and after a change of light, loads or charge


class Remembered:
    """`solve_power` with its last answers.

    Batteries whose voltage does not rise with their charge ask the same again until one is full or empty, since the
    charge itself is no part of the question. Copies and snapshots begin without answers.
    """

    def __init__(self) -> None:
        self._answers: OrderedDict[bytes, Flow] = OrderedDict()

    def __call__(
        self, network: PowerNetwork, charge: ArrayLike, shed: ArrayLike, opened: ArrayLike, ahead: float = 0.0
    ) -> Flow:
        key = _question(network, charge, shed, opened, ahead)
        flow = self._answers.get(key)
        if flow is None:
            flow = self._answers[key] = solve_power(network, charge, shed, opened, ahead)
            if len(self._answers) > ROOM:
                self._answers.popitem(last=False)
        else:
            self._answers.move_to_end(key)
        return flow

    def __getstate__(self) -> dict[str, Any]:
        return {"_answers": OrderedDict()}


def _question(network: PowerNetwork, charge: ArrayLike, shed: ArrayLike, opened: ArrayLike, ahead: float) -> bytes:
    """Everything that a solution depends on."""
    e, lines = network.elements(network.check_charge(charge), ahead), network.lines
    off, cut = np.broadcast_to(shed, network.n), np.broadcast_to(opened, len(lines.edges))  # one flag stands for all
    arrays = (
        *(network.load, network.conducting, network.priority, network.sources.voltage),
        *(lines.edges, lines.resistance, lines.limit, off, cut),
        *(e.node, e.emf, e.resistance, e.out_current, e.out_power, e.in_current, e.in_power, e.sag),
    )
    return b"|".join(np.asarray(a).tobytes() for a in arrays)
