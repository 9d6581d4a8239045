"""The cache of compiled code: stamped with every source that the code may hold."""

from __future__ import annotations

import shutil
from pathlib import Path

import freefloat.compiled as compiled_steps
import freefloat.kernels.jit as jit
from freefloat.cmujoco import STAMP
from freefloat.stamped_cache import fingerprint

FOLDER = Path(jit.__file__).parent


def test_the_fingerprint_changes_with_any_kernels_source(tmp_path: Path) -> None:
    sources = [p.name for p in FOLDER.glob("*.py")]
    assert {"plant.py", "integrate.py", "constraints.py", "jit.py", "entry.py"} <= set(sources)
    for name in sources:
        shutil.copy(FOLDER / name, tmp_path / name)
    stamp = fingerprint(FOLDER)
    assert fingerprint(tmp_path) == stamp
    seen = {stamp}
    for name in sources:
        with (tmp_path / name).open("a") as file:
            file.write("\n# edited\n")
        fingerprint.cache_clear()
        seen.add(fingerprint(tmp_path))
    assert len(seen) == len(sources) + 1
    fingerprint.cache_clear()


def test_the_fingerprint_changes_with_what_is_added_to_it() -> None:
    assert fingerprint(FOLDER, "4.0.0") != fingerprint(FOLDER, "4.0.1")


def test_the_plants_entry_uses_the_stamp() -> None:
    from freefloat.kernels.entry import compiled

    locator = compiled()._cache._impl.locator  # pyright: ignore[reportFunctionMemberAccess]
    assert locator.get_source_stamp() == fingerprint(FOLDER, STAMP)


def test_an_onboard_step_is_stamped_with_all_onboard_sources() -> None:
    @compiled_steps.onboard
    def double(x: float) -> float:
        return 2.0 * x

    assert double(4.0) == 8.0
    locator = double._cache._impl.locator  # pyright: ignore[reportFunctionMemberAccess]
    assert locator.get_source_stamp() == fingerprint(Path(__file__).parent, compiled_steps.stamp())
