"""Campaigns from files: shipped ones by name, one's own by path, with every error's place; and back into a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from freefloat.campaign.settings import SCHEMA, CampaignSettings
from freefloat.campaign.shipped import shipped_campaigns
from freefloat.errors import InputError
from freefloat.scenario.files import is_path
from freefloat.scenario.locations import with_absolute_files, with_files_in
from freefloat.scenario.problems import Misfit, Problem, ScenarioError, dotted, misfits_of, short
from freefloat.scenario.yamltext import Document, read_file, write_scalar

KIND = "campaign"


def is_campaign(document: Document) -> bool:
    """Whether a document says that it is a campaign."""
    return isinstance(document.value, dict) and document.value.get("kind") == KIND


def campaign_document(source: str) -> Document | None:
    """The document of a campaign by name or path; None where `source` is a scenario, or nothing."""
    file = shipped_campaigns().get(source)
    if file is None and (not is_path(source) or not source.endswith((".yaml", ".yml"))):
        return None
    document = read_file(file or Path(source))
    return document if is_campaign(document) else None


def campaign_from(document: Document, changes: Mapping[str, Any] | None = None) -> CampaignSettings:
    """Validate a campaign, with other values for some of its fields; those of `set` and `vary` go to the file's own,
    path by path. Every problem has its place.
    """
    data, problems = dict(document.value), list[Misfit]()
    data.pop("kind")
    schema = data.pop("schema", None)
    if isinstance(schema, bool) or schema != SCHEMA:
        found, at = (f"{short(schema)} is not known", "value") if "schema" in document.value else ("missing", "group")
        problems.append(Misfit(("schema",), f"{found}; allowed: {SCHEMA}", at=at))
    data = with_files_in(CampaignSettings, data, str(Path(document.name).parent))
    try:
        settings = CampaignSettings.model_validate(_changed(data, changes or {}))
    except ValidationError as error:
        problems += misfits_of(CampaignSettings, error)
    except InputError as error:
        raise ScenarioError([Problem(document.name, "", str(error))]) from None
    else:
        if not problems:
            return settings
    raise ScenarioError([_problem(document, m, changes or {}) for m in problems])


def _changed(data: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    paths = {
        name: {**data[name], **changes[name]}
        for name in ("set", "vary")
        if isinstance(data.get(name), Mapping) and isinstance(changes.get(name), Mapping)
    }
    return {**data, **changes, **paths}


def _problem(document: Document, misfit: Misfit, changes: Mapping[str, Any]) -> Problem:
    """Where it is: an option, or a line of the file."""
    first, *rest = misfit.path or ("",)
    given = changes.get(str(first))
    is_option = first in changes and (not rest or not isinstance(given, Mapping) or rest[0] in given)
    if is_option:
        return Problem("", _option(misfit.path), misfit.message)
    return Problem(document.place(misfit.path, misfit.at), dotted(misfit.path), misfit.message)


def campaign_of(fields: Mapping[str, Any]) -> CampaignSettings:
    """Of options, or of what Python gives."""
    try:
        return CampaignSettings.model_validate(dict(fields))
    except ValidationError as error:
        misfits = misfits_of(CampaignSettings, error)
        raise ScenarioError([Problem("", _option(m.path), m.message) for m in misfits]) from None


def _option(path: tuple[str | int, ...]) -> str:
    return f"--{str(path[0]).replace('_', '-')}" + (f" {dotted(path[1:])}" if len(path) > 1 else "")


def dump(settings: CampaignSettings) -> str:
    """As YAML that loads back to the same from any folder: files are absolute."""
    data = with_absolute_files(CampaignSettings, settings.model_dump(mode="json"))
    lines = [f"kind: {KIND}", f"schema: {SCHEMA}"]
    for name, field in CampaignSettings.model_fields.items():
        if data[name] in (None, "", {}, []):
            continue
        meaning = " ".join((field.description or "").split())
        if isinstance(data[name], dict):
            lines.append(f"{name}:  # {meaning}")
            lines += [f"  {write_scalar(key)}: {write_scalar(value)}" for key, value in data[name].items()]
        else:
            lines.append(f"{name}: {write_scalar(data[name])}  # {meaning}")
    return "\n".join(lines) + "\n"


def campaign_schema() -> dict[str, Any]:
    """JSON schema of files of campaigns, for editors."""
    schema = CampaignSettings.model_json_schema()
    schema["properties"].pop("record")
    head = {
        "kind": {"const": KIND, "description": "kind of file"},
        "schema": {"const": SCHEMA, "description": "version of the file format"},
    }
    schema["properties"] = head | schema["properties"]
    schema["required"] = ["kind", "schema", *schema.get("required", [])]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
