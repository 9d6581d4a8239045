"""Nobody outside the engine looks behind a world: its plant, its directory and inner modules are the engine's own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from freefloat.engine.session import Session
from freefloat.engine.world import World

ROOT = Path(__file__).parents[2]
INNER = {
    "masses",
    "plant",
    "binding",
    "restructure",
    "loads",
    "fleet",
    "directory",
    "ports",
    "runtime",
    "schedule",
    "shape_table",
}
OWN_TESTS = (ROOT / "tests/unit/engine", ROOT / "tests/unit/kernels", Path(__file__))


def modules() -> list[Path]:
    """Everything but the engine, the kernels and the tests of these two."""
    package = ROOT / "src" / "freefloat"
    inside = (package / "engine", package / "kernels", *OWN_TESTS)
    found = [p for folder in (package, ROOT / "tests", ROOT / "examples", ROOT / "docs") for p in folder.rglob("*.py")]
    return sorted(p for p in found if not any(p.is_relative_to(folder) for folder in inside))


def public(face: type) -> set[str]:
    made = {"upkeeps", "events", "seed", "fired", "worlds", "recorder", "schedule", "tasks", "on_pause"}
    return {name for name in dir(face) if not name.startswith("_")} | (made if face is Session else set())


HIDDEN = {f"_{name}" for name in ("plant", "plants", "directory", "fleet")}


def faces_in(tree: ast.AST) -> dict[str, type]:
    """Variables that are worlds or sessions: so annotated, or from `.world`, `.worlds[...]` or `.session(...)`."""
    found: dict[str, type] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
            told = set(re.findall(r"\w+", ast.unparse(node.annotation))) & {"World", "Session"}
            name = node.arg if isinstance(node, ast.arg) else ast.unparse(node.target)
            if told:
                found[name] = World if "World" in told else Session
        elif isinstance(node, ast.For | ast.comprehension) and ".worlds" in ast.unparse(node.iter):
            for target in ast.walk(node.target):
                if isinstance(target, ast.Name) and ".items()" not in ast.unparse(node.iter):
                    found[target.id] = World
        elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            of = node.value
            of = of.value if isinstance(of, ast.Subscript) else of.func if isinstance(of, ast.Call) else of
            if isinstance(of, ast.Attribute) and of.attr in ("world", "worlds", "session"):
                found[node.targets[0].id] = Session if of.attr == "session" else World
    return found


def offences(tree: ast.AST) -> Iterator[str]:
    """Private or unknown attributes of worlds and sessions, and imports of the engine's inner modules."""
    faces = faces_in(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            if node.attr in HIDDEN:
                yield f"line {node.lineno}: .{node.attr}"
            of = node.value
            name = of.id if isinstance(of, ast.Name) else of.attr if isinstance(of, ast.Attribute) else ""
            face = faces.get(name) if isinstance(of, ast.Name) else {"world": World, "session": Session}.get(name)
            if face is not None and isinstance(node.ctx, ast.Load) and node.attr not in public(face):
                yield f"line {node.lineno}: {name}.{node.attr}"
            if face is World and not isinstance(node.ctx, ast.Load):
                yield f"line {node.lineno}: {name}.{node.attr} is set"
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("freefloat.engine.") and alias.name.split(".")[2] in INNER:
                    yield f"line {node.lineno}: imports {alias.name}"
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("freefloat.engine"):
            inner = (node.module or "").split(".")[2:3]
            for name in inner or [alias.name for alias in node.names]:
                if name in INNER:
                    yield f"line {node.lineno}: imports engine.{name}"


def test_modules_outside_the_engine_see_only_the_face_of_a_world() -> None:
    found = {path: list(offences(ast.parse(path.read_text(encoding="utf-8")))) for path in modules()}
    assert len(found) > 500
    assert {str(path.relative_to(ROOT)): told for path, told in found.items() if told} == {}


@pytest.mark.parametrize(
    "text",
    [
        "def f(w: World): w.tree",
        "session.world._plant.memory",
        "world = session.world\nworld.u[3]",
        "w = s.worlds['left']\nw.links = {}",
        "s = mission.session()\ns.plants",
        "from freefloat.engine.plant import Plant",
        "from freefloat.engine import restructure",
        "s._directory",
        "def f(w: World | None): w.tree",
        "def f(w: 'ff.World'): w.tree",
        "for w in session.worlds.values():\n    w.u",
        "import freefloat.engine.plant",
    ],
)
def test_the_check_finds_what_it_looks_for(text: str) -> None:
    assert list(offences(ast.parse(text)))


def test_the_face_is_narrow() -> None:
    assert not public(World) & {"tree", "memory", "blueprint", "u", "compile", "booked", "put_masses", "call"}
    assert len(public(World)) <= 39
