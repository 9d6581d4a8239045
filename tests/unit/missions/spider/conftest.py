"""SPIDER with its full drives, assembled once for those that only look at it."""

from __future__ import annotations

import pytest

from freefloat.missions.spider.arm import Spider
from freefloat.missions.spider.settings import SpiderSettings


@pytest.fixture(scope="package")
def spider() -> Spider:
    return SpiderSettings().make()
