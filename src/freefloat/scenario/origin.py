"""Where the values of a scenario came from, for errors that only show when it is built."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from freefloat.amounts import UnfitError
from freefloat.errors import BuildError, FieldError, FreefloatError, InputError, ModelError
from freefloat.scenario.fields import Settings
from freefloat.scenario.problems import Path, Problem, ScenarioError, dotted, short, steps_of

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

    def of(self, path: Path) -> str:
        """The place of a field; empty where it is not known."""
        return "" if self.place is None else self.place(path)


@contextmanager
def told_of(scenario: Scenario) -> Iterator[None]:
    """Errors while a scenario builds its mission get their place: of a field, or in the Python file of its class.

    Bad input of which no field is told gets the place of the group of fields whose method has met it.
    """
    try:
        yield
    except FieldError as error:
        group, above = _group(error, scenario)
        steps = steps_of(error.path)
        path = (*above, *steps) if steps[0] in type(group).model_fields else steps
        raise _told(scenario, path, error.message) from None
    except InputError as error:
        group, above = _group(error, scenario)
        if not above or isinstance(error, (ScenarioError, ModelError)):  # the latter two tell places of their own
            raise
        if isinstance(error, UnfitError) and error.field in type(group).model_fields:
            told = f"{short(error.value)}; allowed: {error.allowed}"
            raise _told(scenario, (*above, error.field), told) from error
        raise _told(scenario, above, "; ".join(str(error).splitlines())) from error
    except FreefloatError:
        raise
    except (Exception, SystemExit) as error:  # whatever a user's class may raise
        from freefloat.scenario.python_file import told

        line = told(error, type(scenario))
        if not line:
            if type(scenario).__module__.split(".")[0] == "freefloat" and isinstance(error, Exception):
                raise  # a fault of ours: whoever reports it needs to know where
            line = f"scenario {scenario.kind!r}: build() raised {_sentence(error)}"
        raise BuildError(line) from error


def _sentence(error: BaseException) -> str:
    """What was raised, and where."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {' '.join(str(error).split())}{place}"


def _told(scenario: Scenario, path: Path, message: str) -> ScenarioError:
    return ScenarioError([Problem(scenario.origin.of(path), dotted(path), message)])


def _group(error: BaseException, scenario: Scenario) -> tuple[Settings, Path]:
    """The innermost group of fields in whose methods an error was raised, and its path; else the scenario."""
    groups = {id(group): (group, path) for group, path in reversed(list(_groups(scenario, ())))}
    found: tuple[Settings, Path] = scenario, ()
    for frame, _ in traceback.walk_tb(error.__traceback__):
        found = groups.get(id(frame.f_locals.get("self")), found)
    return found


def _groups(value: Any, path: Path) -> Iterator[tuple[Settings, Path]]:
    if isinstance(value, Settings):
        yield value, path
        for name in type(value).model_fields:
            yield from _groups(getattr(value, name), (*path, name))
    elif isinstance(value, (tuple, list, dict)):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _groups(inner, (*path, key))
