"""A broken design file is refused with every problem at its place; a broken design is reported; nothing crashes."""

from __future__ import annotations

from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from freefloat.scenario.problems import ScenarioError
from freefloat.scenario.yamltext import parse
from freefloat.structure.design.check import check_design
from freefloat.structure.design.file import design_from, load_design
from freefloat.structure.design.tables import design_tables, report_data

HEAD = "kind: design\nschema: 1\ncatalogue: mosar\n"


def problems(text: str) -> list[str]:
    with pytest.raises(ScenarioError) as caught:
        design_from(parse(text, "d.yaml"))
    return [str(e) for e in caught.value.errors]


def test_all_problems_of_the_fields_come_at_once_with_line_and_column() -> None:
    text = """kind: design
catalogue: mosaar
grid: {kind: cubic, size: [4, 2, 2], pich: 3}
modules:
  - {id: 0, type: bus, cell: [0, 0, 0]}
  - {id: 2, typ: payload, cell: [0, 0, 0], orientation: 3 kg}
environments: {hot: {solar_flux: -5}}
"""
    found = problems(text)
    starts = [
        "d.yaml:1:1: schema: missing; allowed: 1",
        "d.yaml:2:12: catalogue: unknown catalogue 'mosaar'. Did you mean 'mosar'?",
        "d.yaml:3:38: grid.pich: unknown field; did you mean 'pitch'?",
        "d.yaml:5:10: modules.0.id: 0 is out of range",
        "d.yaml:6:5: modules.1.type: missing",
        "d.yaml:6:13: modules.1.typ: unknown field; did you mean 'type'?",
        "d.yaml:6:57: modules.1.orientation: '3 kg' has the wrong dimension",
        "d.yaml:7:34: environments.hot.solar_flux: -5 is out of range; allowed: >= 0 W/m^2",
    ]
    assert len(found) == len(starts)
    for line, start in zip(found, starts, strict=True):
        assert line.startswith(start)


def test_all_problems_between_fields_come_at_once() -> None:
    text = (
        HEAD
        + """modules:
  - {id: 1, type: buss, cell: [0, 0]}
  - {id: 2, type: payload, cell: [0, 0, 0], axes: {x: +x, z: -x}}
  - {id: 3, type: payload, cell: [0, 0, 0], orientation: 1, axes: {x: +x, z: +z}}
interfaces: [{module: 9, side: "+xx"}]
environments: {e: {sun: [0, 0, 0]}}
loads: {l: {pushed: 44}}
"""
    )
    starts = [
        "d.yaml:5:19: modules.0.type: unknown module type 'buss'; did you mean 'bus'?",
        "d.yaml:5:31: modules.0.cell: 2 numbers; allowed: 3, (i, j, k)",
        "d.yaml:6:51: modules.1.axes: 0 orientations have these axes",
        "d.yaml:7:67: modules.2.axes: given beside orientation",
        "d.yaml:8:23: interfaces.0.module: there is no module 9; allowed: 1, 2, 3",
        "d.yaml:8:32: interfaces.0.side: unknown side '+xx'; did you mean '+x'?",
        "d.yaml:9:25: environments.e.sun: a direction cannot be all zero",
        "d.yaml:10:21: loads.l.pushed: there is no module 44",
    ]
    found = problems(text)
    assert len(found) == len(starts)
    for line, start in zip(found, starts, strict=True):
        assert line.startswith(start)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("schema: 1", "schema: 7"), "schema: 7 is not known; allowed: 1"),
        (("schema: 1", "schema: true"), "schema: true is not known"),
        (("kind: design", "kind: other"), "not a design"),
        (("catalogue: mosar", "catalogue: absent.yaml"), "no such file"),
        (("catalogue: mosar", "catalogue: [1]"), "catalogue: [1] is not valid"),
        (("size: [2, 1, 1]", "size: [1000, 1000, 1000]"), "too many places; allowed: 1000000"),
        (("size: [2, 1, 1]", "size: [2, 1]"), "allowed: a list of 3"),
        (("size: [2, 1, 1]", "size: [2, 1, 0]"), "out of range"),
        (("kind: cubic", "kind: cube"), "'cube' is not known; did you mean 'cubic'?"),
        (("id: 1", "id: 1.5"), "modules.0.id"),
        (("orientation: 3", "orientation: 24"), "orientation"),
        (("cell: [0, 0, 0]", "cell: 3"), "modules.0.cell"),
        (("modules:", "modules: {}\nmore:"), "modules"),
    ],
)
def test_a_bad_value_is_named_with_what_is_allowed(change: tuple[str, str], message: str) -> None:
    good = HEAD + (
        "grid: {kind: cubic, size: [2, 1, 1]}\nmodules:\n  - {id: 1, type: bus, cell: [0, 0, 0], orientation: 3}\n"
    )
    assert design_from(parse(good, "d.yaml")).grid.n == 2
    assert change[0] in good
    assert any(message in line for line in problems(good.replace(*change)))


def test_text_that_is_no_design_is_refused(tmp_path: Path) -> None:
    for text in ("", "5", "[1, 2]", "kind: design", "kind: [design]", "\x00", "a: {b: *c}"):
        file = tmp_path / "d.yaml"
        file.write_text(text, encoding="utf-8")
        with pytest.raises(ScenarioError):
            load_design(file)
    with pytest.raises(ScenarioError, match="no such file"):
        load_design(tmp_path / "absent.yaml")


CELL = st.lists(st.integers(-1, 3), min_size=3, max_size=3)
KIND = st.sampled_from(["bus", "solar", "pws", "bat", "ths", "osp", "payload", "spacer"])
MODULE = st.fixed_dictionaries(
    {"id": st.integers(1, 12), "type": KIND, "cell": CELL, "orientation": st.integers(0, 23)}
)
HELD = st.fixed_dictionaries(
    {
        "module": st.integers(1, 12),
        "side": st.sampled_from(["+x", "-y", "+z"]),
        "state": st.sampled_from(["open", "failed"]),
    }
)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(modules=st.lists(MODULE, max_size=14), held=st.lists(HELD, max_size=3))
def test_any_arrangement_gets_a_report_that_accounts_for_every_module(modules: list[dict], held: list[dict]) -> None:
    known = {m["id"] for m in modules}
    text = HEAD + f"modules: {modules}\ninterfaces: {[h for h in held if h['module'] in known]}\n"
    text += "environments: {e: {infrared: 200}}\nloads: {l: {acceleration: [1, 2, 3], rate: [0.1, 0, 0.2]}}\n"
    report = check_design(design_from(parse(text.replace("'", '"'), "d.yaml")))
    misplaced = [f for f in report.errors if f.subject == "placement" and f.message != "there is no module"]
    assert len(report.body.occupied) + len(misplaced) == len(modules)
    assert report.ok == (not report.errors)
    assert report_data(report)["ok"] == report.ok
    assert all(len(row) == len(table.columns) for table in design_tables(report) for row in table.rows)
