"""The list of scenarios. No mission is imported for it, nor anything heavy: it answers at once."""

from __future__ import annotations


def print_list(as_json: bool) -> None:
    """One line for each scenario, or JSON."""
    from freefloat.scenario.presets import presets

    known = presets().values()
    if as_json:
        import json

        rows = [{"name": p.name, "kind": p.kind, "title": p.title, "file": p.file and str(p.file)} for p in known]
        print(json.dumps(rows, indent=2))
        return
    width = max((len(p.name) for p in known), default=0)
    for preset in known:
        print(f"{preset.name:<{width}}  {' '.join(preset.title.split())}")
