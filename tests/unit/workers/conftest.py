"""Jobs that warm processes can import too."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

JOBS = Path(__file__).parents[2] / "robust" / "campaigns"


@pytest.fixture
def plain_jobs(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module of jobs without scenarios."""
    monkeypatch.syspath_prepend(str(JOBS))
    import plain_jobs  # pyright: ignore[reportMissingImports]

    return plain_jobs
