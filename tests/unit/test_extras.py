"""Packages of an extra: what a user is told to install works where they are."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from freefloat import extras
from freefloat.errors import InputError

CLONE = Path(extras.__file__).parents[2]


def test_in_a_clone_the_hint_installs_the_clone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.chdir(CLONE)
    with pytest.raises(InputError, match=r"orbits need the package 'nothing_like', .*: pip install -e '\.\[orbit\]'$"):
        extras.imported("nothing_like", "orbit", "orbits need")
    monkeypatch.chdir(tmp_path)
    assert extras.install("plan") == f"pip install -e '{CLONE}[plan]'"


@pytest.mark.parametrize(
    ("origin", "hint"),
    [
        ({"url": "file://{folder}", "dir_info": {}}, "pip install '{folder}[orbit]'"),
        ({"url": "file://{folder}/gone", "dir_info": {}}, "pip install 'freefloat[orbit]'"),
        ({"url": "https://example.org/freefloat.whl", "archive_info": {}}, "pip install 'freefloat[orbit]'"),
        (None, "pip install 'freefloat[orbit]'"),
    ],
)
def test_an_installed_package_knows_the_clone_that_it_came_from(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, origin: dict[str, object] | None, hint: str
):
    (tmp_path / "pyproject.toml").touch()
    text = origin and json.dumps(origin).replace("{folder}", tmp_path.as_posix())
    monkeypatch.setattr(extras, "__file__", str(tmp_path / "lib" / "site-packages" / "freefloat" / "extras.py"))
    monkeypatch.setattr(extras.metadata, "distribution", lambda _: SimpleNamespace(read_text=lambda _: text))
    assert extras.install("orbit") == hint.replace("{folder}", str(tmp_path))
