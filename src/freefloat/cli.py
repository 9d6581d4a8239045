"""The command line's door: it is open at once, and errors become messages and exit codes here.

Everything else is imported behind it, where an interrupt is met; `freefloat list` needs neither typer nor a scenario.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from typing import NoReturn


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and leave with its exit code: 0 done, 1 failed, 2 bad input, 130 interrupted."""
    from freefloat.interrupts import at_once

    given = list(sys.argv[1:] if arguments is None else arguments)
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison]  (closed by the caller)
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115
    with at_once():
        code = _code(given or ["--help"])
    sys.exit(code)


def _code(arguments: list[str]) -> int:
    """The one place where errors become messages and exit codes."""
    from freefloat.errors import FreefloatError, InputError
    from freefloat.terminal import BAD_INPUT, DONE, FAILED, INTERRUPTED, say, show_warning

    warnings.showwarning = show_warning
    try:
        code = _answer(arguments)
        sys.stdout.flush()
    except InputError as error:
        say(*(f"error: {line}" for line in str(error).splitlines()))
        return BAD_INPUT
    except FreefloatError as error:
        say(f"error: {error}")
        return FAILED
    except KeyboardInterrupt:
        say("interrupted")
        return INTERRUPTED
    except (BrokenPipeError, SystemExit):  # the reader of our output left, as `head` does; click exits then
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except OSError as error:
        say(f"error: {error.strerror or error}")
        return FAILED
    return code


def _answer(arguments: list[str]) -> int:
    if arguments[0] == "list" and arguments[1:] in ([], ["--json"]):  # at once; typer would take longer than the list
        from freefloat.listing import print_list

        print_list(as_json="--json" in arguments)
        return 0
    from freefloat.commands.app import answer

    return answer(arguments)


if __name__ == "__main__":
    main()
