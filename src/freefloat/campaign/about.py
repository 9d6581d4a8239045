"""What a summary has to know of its campaign besides the rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from freefloat.campaign.variation import Variation


@dataclass(frozen=True)
class About:
    """A campaign in a few words. `units` are those of the varied fields, for variations whose numbers have none."""

    name: str
    scenario: str
    sampling: str = "random"
    seed: int = 0
    criterion: str = ""  # the text of --success; empty: every case that runs to its end is a success
    variations: tuple[Variation, ...] = ()
    worst: str = ""  # metric by which cases are bad where it is large; with a minus before it where it is small
    units: Mapping[str, str] = field(default_factory=dict)
    signal_units: Mapping[str, str] = field(default_factory=dict)
    folder: str = ""  # as the user named it, for commands to copy
    planned: int = 0  # cases that there are to be
    set: Mapping[str, Any] = field(default_factory=dict)  # values that are the same in all cases
