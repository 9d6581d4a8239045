"""Files of campaigns: shipped ones are valid, what is dumped loads back, every problem has its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from freefloat.campaign.file import campaign_document, campaign_from, campaign_of, campaign_schema, dump
from freefloat.campaign.plan import Plan
from freefloat.campaign.settings import size_of
from freefloat.campaign.shipped import shipped_campaigns, titles
from freefloat.errors import InputError
from freefloat.scenario.problems import ScenarioError
from freefloat.scenario.yamltext import parse


@pytest.mark.parametrize("name", sorted(shipped_campaigns()))
def test_a_shipped_campaign_is_valid_and_says_what_it_is(name: str) -> None:
    document = campaign_document(name)
    assert document is not None
    settings = campaign_from(document, {"runs": 8})
    assert len(Plan.of(settings).cases) == 8
    assert titles()[name] == settings.about


def test_what_is_dumped_loads_back_to_the_same() -> None:
    given = campaign_of(
        {
            "scenario": "dock-probe-cone",
            "set": {"push": "0 N", "arrival.tilt": [0.0, 0.01]},
            "vary": {"arrival.closing": "uniform(0.05 m/s, 0.1 m/s)", "probe.length": "choice(0.4, '0.5 m')"},
            "correlations": [["arrival.closing", "probe.length", 0.3]],
            "success": "captured == 1",
            "time_limit": "2 min",
            "memory_limit": "800 MB",
            "record": {"versions": {"numpy": "2.4"}},
        }
    )
    assert given.limits().time == 120.0
    assert campaign_from(parse(dump(given), "c.yaml")) == given


def test_paths_that_are_set_or_varied_go_to_those_of_the_file() -> None:
    text = "kind: campaign\nschema: 1\nscenario: x\nset: {a: 1, b: 2}\nvary: {c: 'uniform(0, 1)'}\n"
    found = campaign_from(parse(text, "c.yaml"), {"set": {"b": 3}, "vary": {"d": "uniform(2, 3)"}, "runs": 5})
    assert found.set == {"a": 1, "b": 3}
    assert found.vary == {"c": "uniform(0, 1)", "d": "uniform(2, 3)"}
    assert found.runs == 5


def test_problems_of_a_file_have_their_places() -> None:
    text = "kind: campaign\nschema: 2\nscenario: x\nrun: 5\nvary:\n  a.b: unifrm(1, 2)\nsuccess: a ==\n"
    with pytest.raises(ScenarioError) as found:
        campaign_from(parse(text, "c.yaml"))
    places = sorted(problem.place for problem in found.value.errors)
    assert places == ["c.yaml:2:9", "c.yaml:4:1", "c.yaml:6:3", "c.yaml:7:10"]


def test_problems_of_options_are_not_the_files() -> None:
    text = "kind: campaign\nschema: 1\nscenario: x\nruns: 5\nvary: {a: 'uniform(1, 2)'}\nsuccess: a ==\n"
    with pytest.raises(ScenarioError) as found:
        campaign_from(parse(text, "c.yaml"), {"runs": 0, "vary": {"b": "unifrm(3, 4)"}})
    assert sorted(str(problem).partition(": ")[0] for problem in found.value.errors) == [
        "--runs",
        "--vary b",
        "c.yaml:6:10",
    ]


def test_a_scenario_is_no_campaign_and_its_file_is_relative_to_the_campaigns(tmp_path: Path) -> None:
    (tmp_path / "line.yaml").write_text("kind: reacsa-line\nschema: 1\n")
    (tmp_path / "many.yaml").write_text("kind: campaign\nschema: 1\nscenario: line.yaml\n")
    assert campaign_document(str(tmp_path / "line.yaml")) is None
    assert campaign_document("reacsa-line") is None
    document = campaign_document(str(tmp_path / "many.yaml"))
    assert document is not None
    assert Plan.of(campaign_from(document)).name == "reacsa-line"


def test_sizes_are_bytes() -> None:
    assert [size_of(text) for text in ("800 MB", "2GiB", "1.5 kB", "3 B")] == [800_000_000, 2**31, 1500, 3]
    for text in ("800", "0 MB", "-1 GB", "MB", "1 Mb"):
        with pytest.raises(InputError, match="allowed: a size such as 800 MB"):
            size_of(text)


def test_the_schema_has_all_fields_but_the_record() -> None:
    fields = campaign_schema()["properties"]
    assert {"kind", "schema", "scenario", "vary", "success"} <= set(fields)
    assert "record" not in fields
