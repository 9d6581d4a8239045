"""Names of links and joints: what a file calls them, and what they are called here."""

from __future__ import annotations

from collections.abc import Sequence

from freefloat.engine.graph import WORLD
from freefloat.robots.attributes import NAME_RULE, as_name, is_name, text
from freefloat.robots.reading import Reading
from freefloat.robots.xmltree import Element, nearest, shown


class Names:
    """The names of all links, or of all joints, of a file. Dots and spaces become `_`; no two are alike."""

    def __init__(self, kind: str, elements: Sequence[Element], reading: Reading, taken: Sequence[str] = ()) -> None:
        self.kind = kind
        self.own: dict[str, str] = {}  # the file's name -> ours
        self.elements: list[Element] = []  # those with a name that is theirs alone
        for e in elements:
            with reading.collecting():
                name = text(e, "name", NAME_RULE)
                if name in self.own:
                    raise e.error(f"second {kind} named {shown(name)}; allowed: each name once")
                if not as_name(name):
                    raise e.error(f"name = {shown(name)} is not a name; allowed: {NAME_RULE}")
                self.own[name] = name if is_name(name) and name not in taken else ""
                self.elements.append(e)
        used = {name for name in self.own.values() if name}
        for e in self.elements:
            name = e.attributes["name"]
            if not self.own[name]:
                self.own[name] = _free(as_name(name), used, taken)
                used.add(self.own[name])
                reading.note(f"{e.where}: called {shown(self.own[name])}")

    def of(self, e: Element, attribute: str = "name") -> str:
        """Our name of what an element, or one of its attributes, names."""
        name = text(e, attribute, NAME_RULE)
        if name not in self.own:
            names = [n if n.isprintable() else shown(n) for n in sorted(self.own)[:12]]
            some = ", ".join(names) + (", ..." if len(self.own) > 12 else "")
            hint = nearest(name, self.own)
            raise e.error(f"unknown {self.kind} {shown(name)}.{hint} Allowed: {some or 'none is defined'}")
        return self.own[name]


def _free(name: str, used: set[str], taken: Sequence[str]) -> str:
    """The name, with a number behind it where it is in use."""
    if name == WORLD and name in taken:
        name = f"{name}_link"
    tried, n = name, 1
    while tried in used or tried in taken:
        n += 1
        tried = f"{name}_{n}"
    return tried
