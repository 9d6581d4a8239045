"""Campaigns: many runs of one scenario with varied fields, and what they answer.

`freefloat.campaign(...)` runs one: this package is callable, since importing it puts it in that function's place.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _Callable(ModuleType):
    def __call__(self, *arguments: Any, **options: Any) -> Any:
        from freefloat.campaign.start import campaign

        return campaign(*arguments, **options)


sys.modules[__name__].__class__ = _Callable
