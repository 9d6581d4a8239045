"""The cache of compiled code: stamped with every source of the kernels."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import freefloat.kernels.jit as jit

FOLDER = Path(jit.__file__).parent


def fingerprint(folder: Path) -> str:
    """Of the kernels in another folder, by its own copy of `jit.py`."""
    spec = importlib.util.spec_from_file_location("jit_copy", folder / "jit.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module._fingerprint()


def test_the_fingerprint_changes_with_any_kernels_source(tmp_path: Path) -> None:
    sources = [p.name for p in FOLDER.glob("*.py")]
    assert {"plant.py", "integrate.py", "constraints.py", "jit.py", "entry.py"} <= set(sources)
    for name in sources:
        shutil.copy(FOLDER / name, tmp_path / name)
    assert fingerprint(tmp_path) == jit._fingerprint()
    seen = {jit._fingerprint()}
    for name in sources:
        with (tmp_path / name).open("a") as file:
            file.write("\n# edited\n")
        seen.add(fingerprint(tmp_path))
    assert len(seen) == len(sources) + 1


def test_the_fingerprint_is_the_same_in_every_process_state(tmp_path: Path) -> None:
    for source in FOLDER.glob("*.py"):
        shutil.copy(source, tmp_path / source.name)
    assert fingerprint(tmp_path) == fingerprint(tmp_path)


def test_the_plants_entry_uses_the_stamp() -> None:
    from freefloat.kernels.entry import compiled

    locator = compiled()._cache._impl.locator  # pyright: ignore[reportFunctionMemberAccess]
    assert locator.get_source_stamp() == jit._fingerprint()
