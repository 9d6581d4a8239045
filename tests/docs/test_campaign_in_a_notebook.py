"""A campaign in a notebook: the scenario is a class of a cell, without a file and without a `__main__` guard."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

CLASS = (Path(__file__).parents[1] / "robust" / "campaigns" / "own_box.py").read_text(encoding="utf-8")
RUN = """
found = ff.campaign(
    Own(), runs=8, vary={"mass": "uniform(1 kg, 2 kg)"}, success="half_kg < 0.75", workers=2, out="boxes"
)
found
"""
ASK = """
import json
frame = found.frame
print(json.dumps({
    "rows": len(frame),
    "as it should": bool((frame["half_kg"] == HALF * frame["in.mass"]).all()),
    "rate": found.success.rate,
    "rate of the rows": float(frame["success"].mean()),
    "again": [found.replay(n).metrics["half_kg"] == frame["half_kg"][n] for n in (0, 5)],
}))
"""


def test_a_campaign_of_a_class_of_a_notebook(tmp_path: Path) -> None:
    pytest.importorskip("cloudpickle")
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in (CLASS, RUN, ASK)])
    NotebookClient(book, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    *_, shown = (output for output in book.cells[1].outputs if output.output_type == "execute_result")
    assert shown.data["text/plain"].startswith("campaign boxes: 8 cases, 0 failed, success 0.")
    [told] = (output for output in book.cells[2].outputs if output.output_type == "stream")
    answers = json.loads(told.text)
    rate = answers.pop("rate")
    assert 0.0 < rate < 1.0
    assert answers == {"rows": 8, "as it should": True, "rate of the rows": rate, "again": [True, True]}
    assert (tmp_path / "boxes" / "summary.html").is_file()
