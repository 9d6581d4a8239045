"""The check of a design: its tables, its drawing, and a verdict."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from freefloat.errors import InputError
from freefloat.terminal import print_table, say

if TYPE_CHECKING:
    from freefloat.scenario.yamltext import Document
    from freefloat.structure.design.check import DesignReport


def check_design_file(document: Document, file: str, picture: Path | None, as_json: bool) -> None:
    """Print the report, write the drawing, and refuse a design with errors."""
    from freefloat.structure.design.check import check_design
    from freefloat.structure.design.file import design_from
    from freefloat.structure.design.tables import design_tables, report_data

    report = check_design(design_from(document))
    drawing = _draw_design(report, picture)
    if as_json:
        print(json.dumps({"file": file, "kind": "design", "picture": drawing, **report_data(report)}))
    else:
        for table in design_tables(report):
            print(f"{table.title}:")
            print_table(table.columns, table.rows)
            print()
        print(f"drawing: {drawing or 'not written'}")
    if not report.ok:
        raise InputError(f"{file}: the design has {len(report.errors)} error{'s' if len(report.errors) > 1 else ''}")
    if not as_json:
        print(f"{file}: ok (design)")


def _draw_design(report: DesignReport, picture: Path | None) -> str | None:
    """The file that was written; a default one that cannot be is a warning, and no foreign file is replaced."""
    from freefloat.view.configuration import is_configuration
    from freefloat.view.design_picture import draw_design

    file = picture or Path(f"{report.design.name}.png")
    if picture is None and file.exists() and not is_configuration(file):
        say(f"warning: {file} exists and is no drawing of a configuration; name another with --picture FILE")
        return None
    try:
        draw_design(report, file)
    except InputError as error:
        if picture is not None:
            raise InputError(f"--picture: {error}") from None
        say(f"warning: {error}")
        return None
    return str(file)
