"""The installation: what is there and what is missing."""

from __future__ import annotations

import typer

from freefloat.commands import FAILED
from freefloat.terminal import print_table


def doctor() -> None:
    """What is installed, what is missing, how to get it."""
    import platform

    from freefloat.doctor import library_problem, packages
    from freefloat.scenario.registry import names

    found, problem = list(packages()), library_problem()
    print(f"Python {platform.python_version()} on {platform.system()} {platform.machine()}")
    print_table(
        ("package", "for", "needs", "installed", "size [MB]", "get it"),
        [(p.name, p.extra or "core", p.needed, p.version or "missing", f"{p.size / 1e6:.1f}", p.remedy) for p in found],
    )
    print(f"MuJoCo library: {problem or 'every function that Freefloat calls is there'}")
    print(f"kinds of scenario: {', '.join(names()) or 'none'}")
    if problem or any(not p.version and not p.extra for p in found):
        raise typer.Exit(FAILED)
