"""The sample notebook runs as it stands, in a kernel of its own and a fresh folder, and so does a bar of progress."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[2] / "examples" / "notebooks" / "first_afternoon.ipynb"
BAR = """
from freefloat import progress
import freefloat as ff
progress.WAIT = progress.LEAST = progress.PERIOD = 0.0
ff.Mission([ff.RigidBody("bus")]).run(2.0)
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[nbformat.NotebookNode, Path]:
    """The notebook with its outputs, after a cell whose run shows a bar, and the folder that it ran in."""
    folder = tmp_path_factory.mktemp("afternoon")
    book = nbformat.read(NOTEBOOK, as_version=4)
    book.cells.append(nbformat.v4.new_code_cell(BAR))
    NotebookClient(book, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()
    return book, folder


def test_the_notebook_is_kept_without_outputs() -> None:
    book = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(book)
    assert all(not cell.outputs and cell.execution_count is None for cell in book.cells if cell.cell_type == "code")


def test_the_notebook_runs_and_shows_tables_and_figures(run: tuple[nbformat.NotebookNode, Path]) -> None:
    book, folder = run
    outputs = [o for cell in book.cells if cell.cell_type == "code" for o in cell.outputs]
    shown = [o.data for o in outputs if "data" in o]
    pages = "".join(data.get("text/html", "") for data in shown)
    assert "a mission of satellite: 90 s in" in pages
    assert "planar-two-link: 6 s in" in pages
    assert "<th style='text-align:left'>metric</th>" in pages
    assert "<th style='text-align:left'>limit</th>" in pages
    assert sum("image/png" in data for data in shown) == 3
    assert not [o for o in outputs if o.output_type == "stream" and o.name == "stderr"]
    assert {p.name for p in folder.iterdir()} == {"satellite.mcap", "my-run"}


def test_a_long_run_shows_its_progress_in_a_notebook_and_leaves_no_trace(
    run: tuple[nbformat.NotebookNode, Path],
) -> None:
    first, *rest = (o for o in run[0].cells[-1].outputs if "text/html" in o.get("data", {}))
    assert first.output_type == "display_data"
    assert first.data["text/html"] == "", "the bar is taken away in the end"
    assert "a mission of bus" in rest[-1].data["text/html"]
