"""The check of a file `kind: campaign`: its fields, its scenario, and every value of every case."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from freefloat.scenario.yamltext import Document


def check_campaign_file(document: Document, file: str, as_json: bool) -> None:
    """Refuse what could not be run; nothing is run."""
    from freefloat.campaign.file import campaign_from
    from freefloat.campaign.plan import Plan
    from freefloat.scenario.conduct import built

    plan = Plan.of(campaign_from(document))
    built(plan.scenario(0))
    if as_json:
        print(json.dumps({"file": file, "kind": "campaign", "ok": True, "cases": len(plan.cases)}))
        return
    print(f"{file}: ok (campaign of {len(plan.cases)} cases, {plan.settings.scenario})")
