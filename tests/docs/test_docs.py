"""What the pages show is true: code runs, commands parse, links and figures exist, tables match the code."""

from __future__ import annotations

import json
import os
import re
import runpy
import shlex
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
import typer

import freefloat as ff
from freefloat.cli import main
from freefloat.commands.app import app
from freefloat.scenario import registry
from freefloat.scenario.presets import presets

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [*ROOT.glob("*.md"), *sorted(DOCS.rglob("*.md"))]
TUTORIAL = DOCS / "tutorial" / "fly-your-first-arm.md"

# [s] after which all their metrics exist
SHORT = {"spider-motion": 0.6, "delay-map": 0.6, "dock-probe-cone": 22.0}
SHORT |= {"formation-flight": 5700.0, "gravity-gradient-boom": 3400.0}
SHORT |= {"spider-force-control": 6.0, "spider-payload": 34.0}  # until all that they tell of has begun


def _name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def _blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def _commands() -> list[tuple[Path, str]]:
    lines = [(page, line) for page in PAGES for block in _blocks(page, "console") for line in block.splitlines()]
    return [(page, line) for page, line in lines if line.startswith("freefloat")]


COMMANDS = _commands()


def test_the_newcomers_script_is_under_60_lines_and_prints_what_the_tutorial_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (script,) = _blocks(TUTORIAL, "python")
    assert len(script.splitlines()) < 60
    monkeypatch.chdir(tmp_path)
    Path("first_arm.py").write_text(script, encoding="utf-8")
    runpy.run_path("first_arm.py", run_name="__main__")
    assert Path("first-arm.png").stat().st_size > 10_000
    ours, (shown,) = capsys.readouterr().out.splitlines(), _blocks(TUTORIAL, "text")
    for line, expected in zip(ours, shown.splitlines(), strict=True):
        (what, value), (expected_what, expected_value) = line.split(": "), expected.split(": ")
        assert what == expected_what
        # the drift is rounding noise: its size is what the page shows, not its digits
        assert float(value) == pytest.approx(float(expected_value), rel=1e-3, abs=1e-12)


@pytest.mark.parametrize(("page", "line"), COMMANDS, ids=[f"{_name(p)}: {c}" for p, c in COMMANDS])
def test_a_command_on_a_page_parses(page: Path, line: str) -> None:
    arguments = shlex.split(line, comments=True)[1:]
    group: Any = typer.main.get_command(app)
    context = group.make_context("freefloat", list(arguments))
    while hasattr(group, "resolve_command"):
        name, group, arguments = group.resolve_command(context, arguments)
        context = group.make_context(name, list(arguments), parent=context)


@pytest.mark.usefixtures("undrawn")
def test_the_json_of_the_run_in_the_reference_is_one_flat_object(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (line,) = [c for page, c in COMMANDS if page.name == "command-line.md" and "--json" in c]
    assert _freefloat(shlex.split(line)[1:], tmp_path, monkeypatch) == 0
    printed = json.loads(capsys.readouterr().out)
    assert {"real_time_factor", "wall_time_s", "audit.energy_drift"} <= set(printed)
    written = tmp_path / "runs" / "planar-two-link-001"
    files = {"scenario.yaml", "metrics.json", "timing.json", "log.mcap", "layout.json", "picture.png"}
    assert {p.name for p in written.iterdir()} == {*files, "plots"}
    page = (DOCS / "reference" / "command-line.md").read_text(encoding="utf-8")
    assert all(f"`{p.name}`" in page for p in written.iterdir() if p.is_file())


def _freefloat(arguments: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.chdir(folder)
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)  # put back what the command line sets
    with pytest.raises(SystemExit) as end:
        main(arguments)
    return int(end.value.code or 0)


def test_a_package_as_in_the_how_to_brings_its_scenario(tmp_path: Path) -> None:
    page = DOCS / "howto" / "write-your-own-scenario.md"
    files = [b for kind in ("python", "yaml", "toml") for b in _blocks(page, kind) if b.startswith("# file: ")]
    for block in files:
        place, _, text = block.removeprefix("# file: ").partition("\n")
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_text(text, encoding="utf-8")
    points = re.search(r'entry-points\."(.*?)"\]\n(.*)', (tmp_path / "pyproject.toml").read_text(encoding="utf-8"))
    assert points is not None
    installed = tmp_path / "acme_sim-1.0.dist-info"  # what pip would make of the project file
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-sim\nVersion: 1.0\n", encoding="utf-8")
    (installed / "entry_points.txt").write_text(f"[{points[1]}]\n{points[2].replace(chr(34), '')}\n", encoding="utf-8")

    def freefloat(*arguments: str) -> str:
        command = [sys.executable, "-m", "freefloat.cli", *arguments]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    listed = freefloat("list")
    assert "heavy-tank" in listed
    assert "A full tank tumbles slowly" in listed
    assert "ok (acme-spinning-tank)" in freefloat("check", "heavy-tank")
    metrics = json.loads(freefloat("run", "heavy-tank", "--set", "tank.mass=700", "--json"))
    assert metrics["duration_s"] == pytest.approx(60.0)
    assert metrics["largest_rate_rad_s"] == pytest.approx(0.0524, rel=1e-2)


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_links_and_pictures_of_a_page_exist(page: Path) -> None:
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"https?:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.exists(), f"{_name(page)} links to {target}"
        if anchor:
            headings = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in headings}


def test_every_page_of_the_docs_is_in_the_index() -> None:
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    for page in DOCS.rglob("*.md"):
        where = page.relative_to(DOCS).as_posix()
        assert where == "index.md" or f"({where})" in index, where


def test_the_page_of_scenarios_has_every_one_and_no_other() -> None:
    page = (DOCS / "reference" / "scenarios.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    assert sorted(name for row in rows for name in re.findall(r"`([\w-]+)`", row)) == sorted(presets())


def test_every_figure_is_made_by_the_script_and_shown() -> None:
    makers = runpy.run_path(str(DOCS / "make_figures.py"))["MAKERS"]
    shown = {Path(t).name for p in PAGES for t in re.findall(r"\(([^)\s]*figures/[^)\s]+)\)", p.read_text("utf-8"))}
    on_disk = {p.name for p in (DOCS / "figures").iterdir()}
    assert shown <= on_disk <= set(makers)
    assert all((DOCS / "figures" / name).stat().st_size < 500_000 for name in on_disk)


def test_tables_of_the_reference_are_what_the_code_says() -> None:
    renewed = runpy.run_path(str(DOCS / "make_tables.py"))["renewed"]
    for page in (DOCS / "reference").glob("*.md"):
        text = page.read_text(encoding="utf-8")
        assert renewed(text) == text, f"{page.name} is stale: run python docs/make_tables.py"


def test_the_reference_names_every_public_name_command_and_metric() -> None:
    python, commands, metrics = (
        (DOCS / "reference" / f"{name}.md").read_text(encoding="utf-8")
        for name in ("python-api", "command-line", "metrics-and-audit")
    )
    assert [n for n in ff.__all__ if not re.search(rf"\b{n}\b", python)] == []
    group: Any = typer.main.get_command(app)
    assert [n for n in group.commands if f"freefloat {n}" not in commands] == []
    for scenario in registry.names():
        found = ff.run(scenario, duration=SHORT.get(scenario, 0.1)).metrics
        found = [re.sub(r"^audit\.\w+\.", "audit.", name) for name in found]  # audit.WORLD.*: each one's own
        found = [re.sub(r"^margin_db\.[\d.]+$", "margin_db.BAND", n) for n in found]
        assert [n for n in found if f"`{n}`" not in metrics] == []


def test_pages_name_no_place_of_a_machine() -> None:
    for page in [*PAGES, *(ROOT / "examples").glob("*.py"), *DOCS.glob("*.py")]:
        assert not re.search(r"/(work|root|home|tmp)/", page.read_text(encoding="utf-8")), _name(page)
