"""Errors that users meet: each names the place, the value and what is allowed, in one line."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager


class FreefloatError(Exception):
    """Base of every error that Freefloat raises on purpose."""


class InputError(FreefloatError):
    """Bad input: a file, field, option, name or model. Exit code 2 on the command line."""


class FieldError(InputError, ValueError):
    """A value of a scenario that does not fit the others; `path` is its dotted field, whose place is then told.

    Validators of a scenario raise it, and methods that help to build its mission; in those of a group of fields the
    path begins in the group. It is a ValueError so that pydantic counts it among the problems of a file.
    """

    def __init__(self, path: str, message: str) -> None:
        self.path, self.message = path, message
        super().__init__(f"{path}: {message}")


class ModelError(InputError):
    """A robot or world description that cannot be built (URDF, MJCF, parts)."""


class BuildError(InputError):
    """A scenario's own code raised while its mission was built; `__cause__` is what it raised."""


class SimulationError(FreefloatError):
    """The run could not go on (divergence, failed action). Exit code 1; the log is kept."""


class AuditError(SimulationError):
    """A conservation law was violated beyond its limit, and `--strict` asked for an error."""


class AuditWarning(UserWarning):
    """A conservation law was violated beyond its limit; the run's result is not believable."""


class StepWarning(UserWarning):
    """A fixed step is too long for what a part has to follow; the text has the step that would do."""


class RecordWarning(UserWarning):
    """A record asks for more than the steps give."""


class RenderingWarning(UserWarning):
    """Robots that render an impact have reached a limit of what they can render."""


@contextmanager
def about(path: str) -> Iterator[None]:
    """Bad input met inside is that of a scenario's field."""
    try:
        yield
    except FieldError:
        raise
    except InputError as error:
        raise FieldError(path, "; ".join(str(error).splitlines())) from error


def placed(error: FreefloatError, where: str) -> FreefloatError:
    """The same error, of the same kind, with where it came from in front of what it says."""
    error.args = (f"{where}: {error}", *error.args[1:])
    return error


def unknown_name(kind: str, name: str, valid: Iterable[str]) -> InputError:
    """An `InputError` for a name that does not exist, with the nearest valid one and the list (the 12 nearest)."""
    names = sorted(valid)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    if len(names) > 12:
        shown = ", ".join(difflib.get_close_matches(name, names, n=12, cutoff=0.0)) + ", ..."
    else:
        shown = ", ".join(names)
    return InputError(f"unknown {kind} {name!r}.{hint} Valid: {shown or '(none)'}")
