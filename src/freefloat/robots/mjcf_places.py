"""Where the elements of an MJCF model stand. MuJoCo tells the lines of the file itself; those of included files are
found by name.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from freefloat.errors import ModelError
from freefloat.robots.xmltree import Element, Source, parse, read_source, shown

_MOST_FILES = 100
_OUTERMOST = ("mujocoinclude", "mujoco")
_TAGS = {  # of elements in the file, where the parsed model has one kind for several
    "joint": ("joint", "freejoint"),
    "tendon": ("fixed", "spatial"),
    "actuator": (
        *("general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion"),
        *("dcmotor", "pid", "orientation"),
    ),
}


class Places:
    """The elements of a file and of those that it includes."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.elements = _elements(parse(source, "mujoco"))
        self._own = {(e.line, e.tag, e.attributes.get("name", "")): e for e in self.elements}
        self._foreign = any(e.tag in ("model", "attach") for e in self.elements)
        self._included: list[Element] = []
        files = [e for e in self.elements if e.tag == "include"]
        for e in files[:_MOST_FILES]:  # grows while it is read
            found = _included(source.directory / e.attributes.get("file", ""))
            self._included += found
            files += [one for one in found if one.tag == "include"]
        self.elements += self._included

    def of(self, tag: str, item: Any, name: str = "") -> str:
        """The start of a message about an element of the parsed model: file, line where it is known, tag and name."""
        line = re.search(r"line (\d+)", str(item.info))
        number = int(line[1]) if line else 0  # 0 in included files
        at = self._at(tag, item, number)
        file = at.file if at else self.source.name
        number = at.line if at else 0 if self._foreign else number
        name = name or item.name
        own = f"<{at.tag if at else tag} name={shown(name)}>" if name else f"<{at.tag if at else tag}>"
        return f"{file}:{f'{number}:' if number else ''} {own}"

    def _at(self, tag: str, item: Any, line: int) -> Element | None:
        tags = _TAGS.get(tag, (tag,))
        if line:
            return next((self._own[key] for own in tags if (key := (line, own, item.name)) in self._own), None)
        named = [e for e in self._included if item.name and e.attributes.get("name") == item.name and e.tag in tags]
        return named[0] if len(named) == 1 else None


def _included(path: Path) -> list[Element]:
    """The elements of an included file, or none where MuJoCo will complain about it."""
    for outermost in _OUTERMOST:
        try:
            return _elements(parse(read_source(path), outermost))
        except ModelError:
            continue
    return []


def _elements(top: Element) -> list[Element]:
    found = [top]
    for e in found:  # grows while it is read
        found.extend(e.children)
    return found
