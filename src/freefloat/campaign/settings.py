"""What a campaign is, as a file says it.

kind: campaign
schema: 1
scenario: dock-probe-cone
set: {push: 0 N}
runs: 500
sampling: sobol
vary:
  arrival.closing: uniform(0.05 m/s, 0.1 m/s)
  arrival.offset.0: truncated(0 mm, 50 mm, -100 mm, 100 mm)
correlations:
  - [arrival.closing, arrival.offset.0, 0.3]
success: captured == 1
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from pydantic import field_validator

from freefloat.campaign.criteria import Criterion
from freefloat.campaign.sampling import MOST_SEED, Cases
from freefloat.campaign.variation import Variation, parse_variation
from freefloat.errors import FieldError, InputError
from freefloat.scenario.fields import Settings, file, quantity, setting
from freefloat.workers.limits import Limits

SCHEMA = 1  # version of the file format
RUNS = 100  # of a campaign that does not say how many
_SIZE = re.compile(r"\s*([0-9]*\.?[0-9]+)\s*(B|kB|MB|GB|TB|KiB|MiB|GiB|TiB)\s*", re.ASCII)
_KEEP = re.compile(r"none|failed|all|worst:([1-9][0-9]{0,5})", re.ASCII)


class CampaignSettings(Settings):
    """The fields of a file `kind: campaign`; the options of `freefloat campaign` have the same names."""

    about: str = setting("", "one line on this campaign, shown by `freefloat list`")
    scenario: str = file(..., "the scenario: a name from `freefloat list`, a YAML file, or FILE.py[:NAME]")
    set: dict[str, Any] = setting({}, "values of fields that are the same in all cases, by dotted path")
    runs: int | None = quantity(
        None, "-", "cases; base points with `sensitivity`; with `grid` every combination", ge=1, le=10_000_000
    )
    vary: dict[str, str] = setting({}, "distributions of fields by dotted path, such as uniform(300 kg, 500 kg)")
    sampling: Literal["random", "latin", "sobol", "grid", "sensitivity"] = setting("random", "how cases are chosen")
    seed: int = quantity(0, "-", "seed of the cases: their values and their own seeds", ge=0, lt=MOST_SEED)
    one_seed: bool | None = setting(None, "all cases run with one seed; by default only those of `sensitivity`")
    correlations: tuple[tuple[str, str, float], ...] = setting((), "pairs of varied fields and their correlation")
    success: str = setting("", "condition on metrics that makes a case a success")
    worst: str = setting("", "metric whose largest values are the worst cases; with - before it, its least")
    signals: tuple[str, ...] = setting((), "signals whose course over all cases is drawn")
    keep: str = setting("none", "cases whose whole folder is kept: none, failed, worst:N or all")
    time_limit: float | None = quantity(None, "s", "wall time that a case may take", gt=0)
    memory_limit: str = setting("", "resident memory that a case may take, such as 800 MB; empty: no limit")
    record: dict[str, Any] = setting({}, "in the folder of a campaign: versions, and the scenario as it was")

    @field_validator("memory_limit")
    @classmethod
    def _is_size(cls, text: str) -> str:
        if text:
            with _told():
                size_of(text)
        return text

    @field_validator("keep")
    @classmethod
    def _is_keep(cls, text: str) -> str:
        if not _KEEP.fullmatch(text):
            raise ValueError(f"{text!r} is not known; allowed: none | failed | worst:N | all")
        return text

    @field_validator("vary")
    @classmethod
    def _are_variations(cls, vary: dict[str, str]) -> dict[str, str]:
        for path, text in vary.items():
            try:
                parse_variation(f"{path}={text}")
            except InputError as error:
                raise FieldError(path, str(error)) from None
        return vary

    @field_validator("success")
    @classmethod
    def _is_criterion(cls, text: str) -> str:
        if text:
            with _told():
                Criterion.parse(text)
        return text

    def variations(self) -> tuple[Variation, ...]:
        """Of all varied fields, in their order."""
        return tuple(parse_variation(f"{path}={text}") for path, text in self.vary.items())

    def cases(self) -> Cases:
        """Values and seeds of all cases. What does not go together is refused."""
        given: dict[tuple[str, str], float] = {}
        for one, other, value in self.correlations:
            if (one, other) in given:
                raise InputError(f"correlations: {one} and {other}: given twice; allowed: once")
            given[one, other] = value
        runs = self.runs if self.runs is not None or self.sampling == "grid" else RUNS
        return Cases(self.variations(), self.sampling, self.seed, runs, given, self.one_seed)

    def limits(self) -> Limits:
        """Of each case."""
        return Limits(self.time_limit, size_of(self.memory_limit) if self.memory_limit else None)

    @property
    def kept_worst(self) -> int:
        """How many of the worst cases are kept."""
        found = _KEEP.fullmatch(self.keep)
        return int(found[1]) if found and found[1] else 0


@contextmanager
def _told() -> Iterator[None]:
    """Bad input as pydantic counts it among the problems of a file."""
    try:
        yield
    except InputError as error:
        raise ValueError(str(error)) from None


def size_of(text: str) -> int:
    """[bytes] in a text such as "800 MB" or "1.5 GiB"."""
    found = _SIZE.fullmatch(text)
    if found is None or not float(found[1]) > 0.0:
        raise InputError(f"memory limit {text!r}; allowed: a size such as 800 MB or 2 GiB")
    unit, base = found[2], 1024.0 if found[2].endswith("iB") else 1000.0
    return int(float(found[1]) * base ** "BKMGT".index(unit[0].upper()))
