"""Campaigns that come with Freefloat: YAML files. Nothing heavy is imported to list them."""

from __future__ import annotations

from pathlib import Path

from freefloat.scenario.presets import header


def shipped_campaigns() -> dict[str, Path]:
    """Their files by name."""
    return {file.stem: file for file in sorted(Path(__file__).parent.glob("*.yaml"))}


def titles() -> dict[str, str]:
    """What each is, in a line."""
    return {name: str(header(file).get("about", "")) for name, file in shipped_campaigns().items()}
