"""The cache of compiled code: stamped with every source that the code may hold."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

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


def test_ticks_of_several_rooms_find_their_machine_code_again(tmp_path: Any) -> None:
    """Each tick has files of its own; the stamp is in their names, so that none is taken for another's."""
    from freefloat.stamped_cache import stamped_cache

    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()
        (folder / "source.py").write_text(folder.name)

    def run(x: float) -> float:
        return x

    files = [stamped_cache(run, folder, "", f"tick {folder.name}")._cache_file for folder in folders]
    for file in files:
        file._cache_path = str(tmp_path)
        file._index_path = str(tmp_path / file._index_name)
        file.save("key", file._index_name)
    assert [file.load("key") for file in files] == [file._index_name for file in files]
    fresh = stamped_cache(run, folders[0], "changed", "tick one")._cache_file
    fresh._cache_path, fresh._index_path = str(tmp_path), str(tmp_path / fresh._index_name)
    assert fresh.load("key") is None, "another stamp"
    fresh.save("key", "new")
    assert fresh.load("key") == "new"
    assert files[0].load("key") is None, "and the old one is gone"
    assert files[1].load("key") == files[1]._index_name
