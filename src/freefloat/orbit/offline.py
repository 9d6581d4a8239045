"""The optional packages brahe and erfa, imported on first use, with the data inside their wheels only.

Nothing here opens a connection: brahe's caching providers and its `initialize_*` functions, which download, are never
called. Loading sets brahe's process-wide Earth-orientation and space-weather providers.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any

from freefloat.extras import imported

_imported = partial(imported, extra="orbit", needs="orbits need")


@cache
def brahe() -> Any:
    """The module brahe, with the packaged IERS Bulletin A (finals) and CSSI space-weather files as its global data.

    Both hold the last value where single columns end early (predicted dX, dY, LOD); `Epoch.check` guards the range.
    """
    module = _imported("brahe")
    module.set_global_eop_provider(module.FileEOPProvider.from_default_standard(True, "Hold"))
    module.set_global_space_weather_provider(module.FileSpaceWeatherProvider.from_default_file())
    return module


def erfa() -> Any:
    """The module erfa (pyerfa): IAU time scales and ephemerides."""
    return _imported("erfa")
