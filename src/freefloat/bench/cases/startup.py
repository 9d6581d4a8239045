"""What a scenario costs before its first step, and what a list of them costs, in new processes.

Beside them: the import of the engine alone, and of what any command line with typer and rich imports.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from freefloat.bench.case import Figure, bench
from freefloat.bench.race import Runner, Times, race
from freefloat.errors import FreefloatError

_ENGINE = "import freefloat.engine.mission"
_SCENARIO = "from freefloat.scenario.files import load; load('free-floating-arm').build()"
_LIST = "from freefloat.cli import main\ntry:\n    main(['list'])\nexcept SystemExit:\n    pass\n"
_PYTHON = "import typer, rich"
_SCRIPTS = {"scenario": _SCENARIO, "engine": _ENGINE, "list": _LIST, "python": _PYTHON}
_REBUILDS = "from freefloat.bench.rebuilds import rebuilds; print(rebuilds('{rebuilt}', {duration}))"
_REPORT = "\nimport sys, time; print(time.process_time(), sum(m.split('.')[0] == 'freefloat' for m in sys.modules))"


@dataclass(frozen=True)
class Effort:
    """How much is measured."""

    rounds: int = 15  # new processes of each
    rebuilt: str = "pick-and-place"  # scenario of the run in which rebuilds are counted
    duration: float = 2.0  # [s] of that run


@bench("startup")
def startup() -> Iterator[Figure]:
    """Load and build a scenario in a new process, against importing the engine alone."""
    yield from figures(Effort())


def figures(effort: Effort) -> Iterator[Figure]:
    """All figures of the start."""
    children = Children()
    times = children.race(list(_SCRIPTS), effort.rounds)
    scenario, engine = times.median("scenario"), times.median("engine")
    how = f"{effort.rounds} new processes of each in turns, median CPU times from the interpreter's start"
    what = "load and build free-floating-arm over importing freefloat.engine.mission alone"
    yield Figure("load_scenario_over_engine_ratio", scenario / engine, f"{what}; {how}")
    yield Figure("load_scenario_s", scenario, "free-floating-arm, of the ratio above")
    yield Figure("import_engine_s", engine, "the engine alone, of the ratio above")
    yield Figure("load_scenario_modules", children.modules["scenario"], "modules of Freefloat imported by then")
    yield Figure("import_engine_modules", children.modules["engine"], "modules of Freefloat in the engine's import")
    listed, python = times.median("list"), times.median("python")
    what = "freefloat list over importing typer and rich alone"
    yield Figure("list_over_python_ratio", listed / python, f"{what}; {how}")
    yield Figure("list_s", listed, "freefloat list, of the ratio above")
    yield Figure("import_typer_rich_s", python, "python -c 'import typer, rich', of the ratio above")
    yield Figure("list_modules", children.modules["list"], "modules of Freefloat imported for the list")
    counted = float(in_new_process(_REBUILDS.format(rebuilt=effort.rebuilt, duration=effort.duration)))
    what = "missions, stacks and reference orbits beyond the first of each"
    how = f"in a new process that loads, runs, judges and draws {effort.duration:g} s of {effort.rebuilt}"
    yield Figure("rebuilds_per_run", counted, f"{what}, counted {how}")


class Children:
    """New processes that say what they used."""

    def __init__(self) -> None:
        self.cpu_time = 0.0  # [s] of all so far
        self.modules: dict[str, int] = {}  # of Freefloat that the last one imported, by name

    def race(self, names: Sequence[str], rounds: int) -> Times:
        """CPU times of `scenario`, `engine`, `list` or `python`, each in new processes, in turns."""
        runners = {name: Runner(partial(self.run, name, _SCRIPTS[name])) for name in names}
        return race(runners, rounds, clock=lambda: self.cpu_time)

    def run(self, name: str, script: str) -> None:
        """Run a line of Python in a new process."""
        seconds, modules = in_new_process(script, _REPORT).splitlines()[-1].split()
        self.cpu_time += float(seconds)
        self.modules[name] = int(modules)


def in_new_process(script: str, more: str = "") -> str:
    """What a line of Python, and `more` behind it, prints."""
    done = subprocess.run([sys.executable, "-c", script + more], capture_output=True, check=False, text=True)
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise FreefloatError(f"{script!r} ended with {done.returncode}: {reason}")
    return done.stdout
