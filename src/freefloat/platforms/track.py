"""What a picture of a platform's run shows beside the run itself."""

from __future__ import annotations

from dataclasses import dataclass

from freefloat.frames import Array
from freefloat.platforms.platform import Body, Floor


@dataclass(frozen=True, eq=False)
class Track:
    """Platforms by the names of their parts, the first of which follows the reference."""

    platforms: tuple[str, ...]
    body: Body
    ground: Floor
    times: Array  # [s] (n,) of the reference
    poses: Array  # [m, m, rad] (n, 3)
    wheel: str | None = "wheel"  # part of the reaction wheel, None where there is none
