"""The list of scenarios. No mission is imported for it, nor anything heavy: it answers at once."""

from __future__ import annotations


def print_list(as_json: bool) -> None:
    """One line for each scenario and each shipped campaign, or JSON."""
    from freefloat.campaign.shipped import shipped_campaigns, titles
    from freefloat.scenario.presets import presets

    known = presets().values()
    if as_json:
        import json

        rows = [{"name": p.name, "kind": p.kind, "title": p.title, "file": p.file and str(p.file)} for p in known]
        files = shipped_campaigns()
        rows += [{"name": n, "kind": "campaign", "title": t, "file": str(files[n])} for n, t in titles().items()]
        print(json.dumps(rows, indent=2))
        return
    width = max((len(p.name) for p in known), default=0)
    for preset in known:
        print(f"{preset.name:<{width}}  {' '.join(preset.title.split())}")
    print("\ncampaigns (freefloat campaign NAME):")
    for name, title in titles().items():
        print(f"{name:<{width}}  {title}")
