"""What operators do, as a list: each step waits for its instant and for a state of the facility, then acts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

_SOON = 1e-9  # [s] by which rounding may put an instant late


@dataclass(frozen=True)
class Step:
    """An operator's action, in the order of the list, once its instant and its state are there."""

    do: str  # an action, such as "power", "mode" or "confirm"
    arguments: Mapping[str, Any] = field(default_factory=dict)
    at: float = 0.0  # [s] not before
    after: float = 0.0  # [s] since the step before was done
    when: str = ""  # a state that the facility must be in; empty: any
    refused: bool = False  # the facility must refuse it


class Procedure:
    """Works through steps, several in a cycle where all are due; `done` counts them."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps, self.done, self._last = tuple(steps), 0, 0.0

    def due(self, t: float, state: Callable[[], str]) -> Iterator[Step]:
        """Steps to do now; the state is asked anew for each, for the step before it may have changed it."""
        while self.done < len(self.steps):
            step = self.steps[self.done]
            if t < max(step.at, self._last + step.after) - _SOON or step.when not in ("", state()):
                return
            self.done, self._last = self.done + 1, t
            yield step

    @property
    def finished(self) -> bool:
        """Whether all steps are done."""
        return self.done == len(self.steps)


def automatic(mode: str, *before: Step, confirm: float = 0.0) -> list[Step]:
    """From power to running: what is to be done `before`, Move to Start, and Confirm once the facility is ready, not
    before `confirm` [s]."""
    return [
        Step("power", {"on": True}),
        Step("mode", {"mode": mode}),
        *before,
        Step("start", when="idle"),
        Step("confirm", at=confirm, when="ready"),
    ]
