"""The commands, one module per topic, and what they share: options and exit codes.

Heavy modules are imported inside the commands, so that `--help` answers at once.
"""

from __future__ import annotations

from typing import Annotated

import typer

from freefloat.terminal import BAD_INPUT as BAD_INPUT
from freefloat.terminal import DONE as DONE
from freefloat.terminal import FAILED as FAILED
from freefloat.terminal import INTERRUPTED as INTERRUPTED

ScenarioName = Annotated[
    str, typer.Argument(metavar="SCENARIO", help="A name from `freefloat list`, a YAML file, or FILE.py[:NAME].")
]
Json = Annotated[bool, typer.Option("--json", help="Print only JSON on standard output.")]
