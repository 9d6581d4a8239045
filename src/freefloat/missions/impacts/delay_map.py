"""How late a facility may be before a rendered contact gains energy: a map, and the loop through two worlds."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import ClassVar

from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.errors import FieldError
from freefloat.gnc.control.loop_delay import critical_delay
from freefloat.missions.impacts.delay_lanes import Lanes
from freefloat.missions.impacts.delay_points import DelayGrid
from freefloat.missions.impacts.delay_search import rebound_critical_delay
from freefloat.scenario.base import Scenario
from freefloat.scenario.fields import Settings, quantity, setting
from freefloat.scenario.registry import register

Ends = tuple[float, float]


class LoopSettings(Settings):
    """The loop that is run through two worlds, at several delays side by side."""

    mass: float = quantity(50.0, "kg", "of the satellite; of two that touch, m1 m2 / (m1 + m2)", gt=0, le=1e6)
    stiffness: float = quantity(5e4, "N/m", "of the contact", gt=0, le=1e9)
    damping: float = quantity(500.0, "N s/m", "of the contact", gt=0, le=1e9)
    cycle: float = quantity(4e-3, "s", "of the facility: the force is read and held so often", ge=1e-5, le=1)
    delays: tuple[float, ...] = quantity(
        (), "s", "age of the force, one satellite each; none: within 10 % of what is expected critical", ge=0, le=1
    )
    speed: float = quantity(0.1, "m/s", "at which the satellites come", gt=0, le=10)


class MapSettings(Settings):
    """The grid that is compared with the closed form."""

    masses: tuple[float, ...] = quantity((10.0, 100.0, 1000.0), "kg", "of the satellite, a picture each", gt=0, le=1e6)
    stiffness: Ends = quantity((1e3, 1e6), "N/m", "of the contact, from and to", gt=0, le=1e9)
    damping_ratio: Ends = quantity((0.02, 2.0), "-", "b / (2 sqrt(k m)), from and to", ge=1e-3, le=10)
    count: int = quantity(5, "-", "stiffnesses, and as many damping ratios", ge=2, le=50)


@register
class DelayMap(Scenario):
    """Satellites fly freely in the world `space`; mock-ups on rails in the world `lab` move as they do, and meet walls
    of spring and damper. The walls' forces come back late and are held over a cycle on the satellites: beyond a
    critical delay the oscillation grows instead of decaying.
    """

    kind: ClassVar[str] = "delay-map"
    title: ClassVar[str] = "How late force feedback may be before a rendered contact gains energy: map and loop"

    duration: float = quantity(3.0, "s", "simulated time", gt=0, le=1e9)
    record_rate: float = quantity(250.0, "Hz", "rate at which signals are recorded", gt=0, le=1e6)
    loop: LoopSettings = setting(LoopSettings(), "the loop through the two worlds")
    map: MapSettings = setting(MapSettings(), "the map")

    def build(self) -> Mission:
        """A satellite and a rail for each delay."""
        lanes, grid = self._lanes(), self._grid()
        return Mission(
            worlds=lanes.worlds(self.integrator.make()),
            tasks=lanes.tasks(),
            record_rate=self.record_rate,
            judge=partial(self._judge, lanes, grid),
            writers=[partial(self._write, lanes, grid)],
        )

    def _lanes(self) -> Lanes:
        loop = self.loop
        if loop.delays:
            return Lanes(loop.mass, loop.stiffness, loop.damping, loop.cycle, loop.delays, loop.speed)
        longest = 2.0 * critical_delay(loop.mass, loop.stiffness, loop.damping)
        if loop.cycle >= longest:
            raise FieldError(
                "loop.cycle", f"{loop.cycle:g} s grows at every delay; allowed: below {longest:.6g} s, or with `delays`"
            )
        return Lanes.around(loop.mass, loop.stiffness, loop.damping, loop.cycle, speed=loop.speed)

    def _grid(self) -> DelayGrid:
        if not self.map.masses:
            raise FieldError("map.masses", "none; allowed: at least one")
        for name in ("stiffness", "damping_ratio"):
            low, high = getattr(self.map, name)
            if not low < high:
                raise FieldError(f"map.{name}", f"from {low:g} to {high:g}; allowed: from the lower to the higher")
        return DelayGrid.between(self.map.masses, self.map.stiffness, self.map.damping_ratio, self.map.count)

    def _judge(self, lanes: Lanes, grid: DelayGrid, result: Result) -> dict[str, float]:
        """The map and the loop beside the closed form."""
        closed = critical_delay(lanes.mass, lanes.stiffness, lanes.damping)
        expected = closed - 0.5 * lanes.cycle
        metrics = {
            "map_points": float(len(grid.points)),
            "continuous_error_ratio": grid.worst,
            "critical_delay_s": closed,
            "rebound_critical_delay_s": rebound_critical_delay(lanes.mass, lanes.stiffness, lanes.damping),
            "sampled_expected_delay_s": expected,
        }
        growths = lanes.growths_of(result)
        found = None if growths is None else lanes.critical(growths)
        if found is not None and expected > 0.0:
            metrics |= {"sampled_critical_delay_s": found, "sampled_error_ratio": abs(found / expected - 1.0)}
        return metrics

    def _write(self, lanes: Lanes, grid: DelayGrid, result: Result, out: Path) -> None:
        from freefloat.missions.impacts.delay_pictures import draw_lanes, draw_map  # heavy, and only needed here

        grid.write(out / "delay-map.csv")
        draw_map(grid, lanes, out / "plots" / "delay-map.png")
        draw_lanes(result, lanes, out / "plots" / "loop.png")
