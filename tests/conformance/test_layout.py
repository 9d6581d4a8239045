"""The layout tells the architecture: unit tests mirror modules, modules are short, and nobody evades the contract."""

from __future__ import annotations

import re
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[2]
SOURCE, UNIT = ROOT / "src" / "freefloat", ROOT / "tests" / "unit"
LONGEST, MEDIAN = 400, 110  # lines


def test_every_unit_test_file_mirrors_a_module() -> None:
    strays = []
    for file in UNIT.rglob("test_*.py"):
        module = SOURCE / file.relative_to(UNIT).parent / file.stem.removeprefix("test_")
        if not (module.with_suffix(".py").exists() or (module / "__init__.py").exists()):
            strays.append(str(file.relative_to(ROOT)))
    assert strays == []


def test_modules_are_short() -> None:
    lines = {file: len(file.read_text(encoding="utf-8").splitlines()) for file in SOURCE.rglob("*.py")}
    assert [f"{file}: {n}" for file, n in lines.items() if n > LONGEST] == []
    assert median(lines.values()) <= MEDIAN


def test_no_module_of_ours_is_imported_behind_the_linters_back() -> None:
    """Import-linter reads statements; a module's name in a call would evade it. A package may import its own late."""
    named = re.compile(r"""(?:import_module|__import__)\(\s*f?["']freefloat\.(\w+)""")
    found = []
    for file in SOURCE.rglob("*.py"):
        name = file.relative_to(SOURCE).as_posix()
        found += [name for room in named.findall(file.read_text(encoding="utf-8")) if room != name.split("/")[0]]
    assert found == []
