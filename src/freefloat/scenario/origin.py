"""Where the values of a scenario came from, for errors that only show when it is built."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from freefloat.errors import FieldError, FreefloatError, InputError
from freefloat.scenario.problems import Path, Problem, ScenarioError

if TYPE_CHECKING:
    from freefloat.scenario.base import Scenario


class Origin:
    """FILE:LINE:COLUMN, or the option, of every field. It takes no part in comparisons of scenarios."""

    def __init__(self, place: Callable[[Path], str] | None = None) -> None:
        self.place = place

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Origin)

    def __hash__(self) -> int:
        return 0

    def of(self, path: str) -> str:
        """The place of a dotted field; empty where it is not known."""
        steps = tuple(int(step) if step.isdigit() else step for step in path.split("."))
        return "" if self.place is None else self.place(steps)


@contextmanager
def told_of(scenario: Scenario) -> Iterator[None]:
    """Errors while a scenario builds its mission get their place: of a field, or in the Python file of its class."""
    try:
        yield
    except FieldError as error:
        raise ScenarioError([Problem(scenario.origin.of(error.path), error.path, error.message)]) from None
    except FreefloatError:
        raise
    except (Exception, SystemExit) as error:  # whatever a user's class may raise
        from freefloat.scenario.python_file import told

        line = told(error, type(scenario))
        if not line and isinstance(error, SystemExit):
            line = f"scenario {scenario.kind!r}: build() raised SystemExit: {error}"
        if not line:
            raise
        raise InputError(line) from error
