"""Every page runs as typed, in a fresh folder: its files, its Python from top to bottom, and its commands.

Commands are quick here: of a scenario's runs the first is cut short where that is cheap, and of the others the fields
are checked, of plans the first is made, and files of pictures stay empty. In `make test-full` all of them run to their
end. `python FILE` runs in a process of its own. Lines with `pip` are not run: they would change what is installed.
"""

from __future__ import annotations

import itertools
import re
import runpy
import shlex
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

from freefloat.cli import main
from freefloat.errors import AuditWarning
from freefloat.frames import Pose
from freefloat.missions.modular.design_pair import pair_of
from freefloat.scenario import registry
from freefloat.scenario.files import load
from freefloat.structure.design.file import load_design

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
GUIDES = sorted([*(DOCS / "tutorial").glob("*.md"), *(DOCS / "howto").glob("*.md")])
OTHERS = sorted({*ROOT.glob("*.md"), *DOCS.rglob("*.md")} - set(GUIDES))  # their commands are shown, not told to type

_POSE = Pose.from_rpy((0.1, 0.2, 0.3), (1.0, 2.0, 3.0))
GIVEN: dict[str, dict[str, Any]] = {  # names that a page's fragments take for granted
    "notation.md": {"X_AB": _POSE, "X_BC": _POSE, "p_B": (1.0, 0.0, 0.0)},
    "frames-and-notation.md": {"X_WB": _POSE, "X_BS": _POSE, "X_ST": _POSE},
}
SERVED = {"serve", "do", "console", "app", "lrc"}  # commands of the facility that need a server, or are one
INSTALLED = {"heavy-tank": "a package of the reader's own; test_docs installs it"}  # what no fresh folder has
CHEAP = {
    "planar-two-link",
    "free-floating-arm",
    "reacsa-line",
    "my_scenario.py",
}  # scenarios of which a short run takes no second
QUICK = 0.05  # [s] of such a run
TOLD_IN_FULL = {"fly-your-first-arm.md"}  # test_docs runs its script and compares what it prints


def _blocks(page: Path) -> list[tuple[str, str]]:
    """Language and text of every block, in order."""
    return re.findall(r"^```(\w+)\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def _told_to_save(page: Path) -> dict[str, str]:
    """Text of the blocks below a "Save this as `NAME`:", by name."""
    told = r"Save this as `(\S+)`:\n\n```\w+\n(.*?)^```"
    return dict(re.findall(told, page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL))


def _runs_commands(page: Path) -> bool:
    return page in GUIDES and any(language == "console" and "freefloat run" in text for language, text in _blocks(page))


def _cases() -> list[Any]:
    """Pages with something to run; those whose runs are cut short once more, to the end."""
    with_code = [page for page in (*GUIDES, *OTHERS) if any(language == "python" for language, _ in _blocks(page))]
    pages = dict.fromkeys([*GUIDES, *with_code])
    quick = [pytest.param(page, True, id=page.stem) for page in pages]
    full = [pytest.param(page, False, id=f"{page.stem} to its end", marks=pytest.mark.slow) for page in pages]
    return [*quick, *(case for case, page in zip(full, pages, strict=True) if _runs_commands(page))]


class Reader:
    """Somebody who types what a page says."""

    def __init__(self, page: Path, folder: Path, quick: bool, capsys: pytest.CaptureFixture[str]) -> None:
        self.page, self.folder, self.quick, self.capsys = page, folder, quick, capsys
        self.blocks, self.typed = _blocks(page), set[tuple[str, ...]]()

    def save(self) -> None:
        """Blocks that begin with the name of a file, and those that the reader is told to save."""
        for name, text in _told_to_save(self.page).items():
            (self.folder / name).write_text(text, encoding="utf-8")
        for language, text in self.blocks:
            named = re.match(r"(?:# file: (\S+)|<!-- file: (\S+) -->)\n", text)
            if language not in ("console", "text") and named:
                content = text[named.end() :] if named[1] else text  # a comment of XML stays, and the lines count
                file = self.folder / (named[1] or named[2])
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(content, encoding="utf-8")

    def python(self) -> None:
        """All of it that is not saved to be run by a command, as one script."""
        saved = _told_to_save(self.page).values()
        text = "\n".join(text for language, text in self.blocks if language == "python" and text not in saved)
        if text:
            file = self.folder / "page.py"
            file.write_text(text, encoding="utf-8")
            runpy.run_path(str(file), init_globals=GIVEN.get(self.page.name), run_name="__main__")

    def commands(self) -> None:
        """Line by line; where a page shows what an error says, it says that."""
        for (language, text), after in zip(self.blocks, [*self.blocks[1:], ("", "")], strict=True):
            told = after[1] if after[0] == "text" and after[1].startswith("error") else ""
            for line in text.splitlines() if language == "console" else ():
                words = shlex.split(line, comments=True)
                if not words or words[0] == "pip" or any(word in INSTALLED for word in words):
                    continue
                if words[0] == "python":
                    self.run_file(words[1:])
                elif words[1] == "facility" and words[2] in SERVED:
                    self.options(words[1:])
                else:
                    assert words[0] == "freefloat", line
                    self.type(words[1:], told)

    def options(self, words: list[str]) -> None:
        """That a command has the options that are typed; it would serve for ever, or ask who does."""
        self.capsys.readouterr()
        with pytest.raises(SystemExit):
            main([*words[:2], "--help"])
        known = self.capsys.readouterr().out
        assert all(word in known for word in words if word.startswith("--")), words

    def run_file(self, words: list[str]) -> None:
        """A script that the page has had saved, in a process of its own."""
        assert (self.folder / words[0]).is_file(), f"{words[0]} is not a file that the page tells to save"
        if not (self.quick and self.page.name in TOLD_IN_FULL):
            done = subprocess.run([sys.executable, *words], capture_output=True, check=False, text=True)
            assert done.returncode == 0, done.stderr
            assert done.stdout

    def type(self, words: list[str], told: str) -> None:
        """One command, without the name of the program."""
        subject = tuple(words[:2])
        if self.quick and not told:
            if words[0] == "run" and (subject in self.typed or words[1] not in CHEAP):
                load(words[1], [value for option, value in itertools.pairwise(words) if option == "--set"])
                return
            if words[0] == "plan" and any(command == "plan" for command, _ in self.typed):
                pair_of(load_design(words[1]), load_design(words[2]))
                return
            if subject in self.typed:
                return
            words = [*words, "--duration", str(QUICK)] if words[0] == "run" else words
        self.typed.add(subject)
        self.capsys.readouterr()
        with warnings.catch_warnings():
            if self.quick:  # the first instants of a run hold too little energy to judge it by
                warnings.simplefilter("ignore", AuditWarning)
            with pytest.raises(SystemExit) as end:
                main(words)
        out, err = self.capsys.readouterr()
        assert bool(end.value.code) == bool(told), err
        assert " ".join(told.split()) in " ".join(err.split())
        assert out or told


@pytest.mark.parametrize(("page", "quick"), _cases())
def test_a_page_runs_as_typed_in_a_fresh_folder(
    page: Path,
    quick: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.chdir(tmp_path)
    if quick:  # drawing takes most of the time
        request.getfixturevalue("undrawn")
        monkeypatch.setattr("freefloat.view.design_picture.draw_design", lambda report, path: Path(path).touch())
        monkeypatch.setattr(
            "freefloat.missions.modular.plan_pictures.draw_plan_sheet", lambda states, path, title: None
        )
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)  # put back what the command line sets
    kinds = registry.names()
    try:
        reader = Reader(page, tmp_path, quick, capsys)
        reader.save()
        reader.python()
        if page in GUIDES:
            reader.commands()
    finally:  # a page may register scenarios of its own
        for name in set(registry.names()) - set(kinds):
            registry.scenarios.remove(name)
