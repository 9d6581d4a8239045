"""`freefloat run --case DIR:N`: a case of a campaign, run again with everything recorded."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from freefloat.errors import InputError
from freefloat.terminal import say

if TYPE_CHECKING:
    from freefloat.campaign.report import Campaign
    from freefloat.scenario.base import Scenario


@dataclass(frozen=True)
class Replay:
    """Case `n` of a campaign."""

    campaign: Campaign
    n: int
    scenario: Scenario

    @classmethod
    def of(cls, text: str) -> Replay:
        """In a text DIR:N."""
        folder, colon, number = text.rpartition(":")
        if not colon or not number.isascii() or not number.isdigit():
            raise InputError(f"--case {text}: allowed: DIR:N, the folder of a campaign and the number of a case")
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as in a worker; sums in another order have other last bits
        from freefloat.campaign.report import Campaign

        campaign = Campaign(Path(folder))
        return cls(campaign, int(number), campaign.scenario(int(number)))

    @property
    def name(self) -> str:
        """For its folder."""
        return f"{self.scenario.kind}-case-{self.n}"

    def tell(self, metrics: Mapping[str, float]) -> None:
        """Say so where the run is not that of the campaign."""
        if self.campaign.repeats(self.n, dict(metrics)) is False:
            say(f"warning: case {self.n} has other metrics in {self.campaign.folder}: another machine or environment")
