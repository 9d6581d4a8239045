"""What is installed, what is missing, and how to get it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution, requires

from freefloat.extras import install

_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(\[[^]]*\])?\s*(?P<needed>[^;]*)")
_EXTRA = re.compile(r"extra\s*==\s*['\"](?P<extra>[\w-]+)['\"]")


@dataclass(frozen=True)
class Package:
    """A package that Freefloat needs, or that one of its extras needs. `version` is empty where it is not installed."""

    name: str
    needed: str  # version range, as pip writes it
    extra: str  # empty: core
    version: str
    size: int  # [bytes] of the installed files

    @property
    def remedy(self) -> str:
        return "" if self.version else install(self.extra)


def packages() -> Iterator[Package]:
    """Core packages first, then each extra's."""
    for text in sorted(requires("freefloat") or [], key=lambda t: "extra" in t):
        match, condition = _REQUIREMENT.match(text), _EXTRA.search(text)
        if match is None or match["name"] == "freefloat":  # an extra that gathers other extras
            continue
        name, needed, extra = match["name"], match["needed"].strip(), condition["extra"] if condition else ""
        try:
            found = distribution(name)
        except PackageNotFoundError:
            yield Package(name, needed, extra, "", 0)
        else:
            yield Package(name, needed, extra, found.version, _size(found))


def _size(found: Distribution) -> int:
    """Bytes of a package and of the parts that it is delivered in, such as mujoco-core for mujoco."""
    sizes = sum(_size(part) for part in _parts(found))
    for file in found.files or []:
        try:
            sizes += file.locate().stat().st_size  # pyright: ignore[reportAttributeAccessIssue]
        except OSError:
            continue
    return sizes


def _parts(found: Distribution) -> Iterator[Distribution]:
    for text in found.requires or []:
        match = _REQUIREMENT.match(text)
        if match is not None and match["name"].replace("_", "-").startswith(f"{found.name}-"):
            with contextlib.suppress(PackageNotFoundError):
                yield distribution(match["name"])


def library_problem() -> str:
    """Why MuJoCo's C functions cannot be called from compiled code; empty when they can."""
    try:
        import freefloat.cmujoco  # noqa: F401
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""
