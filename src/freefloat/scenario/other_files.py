"""YAML files that are no scenarios, and what to do with them instead of running them."""

from __future__ import annotations

from pathlib import Path

from freefloat.scenario.yamltext import Document, write_scalar

KINDS = ("design", "drives", "campaign")


def advice(document: Document) -> str:
    """What a file of one of KINDS is for, with a line that can be copied."""
    file = document.name
    check = f"`freefloat check {file}`"
    if document.value["kind"] == "campaign":
        return f"this is a campaign, not a scenario; run it with `freefloat campaign {file}`"
    if document.value["kind"] == "drives":
        return f"this is a file of drives, not a scenario; check it with {check}, and name it in a field `drive`"
    moves = [{"module": _last(document), "to": ["i", "j", "k"]}]
    lines = {"kind": "rebuild", "schema": 1, "design": Path(file).name, "moves": moves}
    return (
        f"this is a design, not a scenario; check it with {check}, or run it by a scenario file beside it with "
        f"the moves of its modules: {write_scalar(lines)}"
    )


def _last(document: Document) -> int | str:
    """The identity of the last module, if one can be read."""
    modules = document.value.get("modules")
    last = modules[-1] if isinstance(modules, list) and modules else None
    identity = last.get("id") if isinstance(last, dict) else None
    return identity if isinstance(identity, int) and not isinstance(identity, bool) else "ID"
