"""The world in orbit: a frame W that falls along a gravity-only reference orbit, axes parallel to ECI."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.amounts import Measure, positive, take
from freefloat.engine.blueprint import Builder, RowOutput
from freefloat.engine.signals import Signal
from freefloat.engine.world import World
from freefloat.frames import Array
from freefloat.kernels.orbit_gravity import ORBIT_GRAVITY
from freefloat.kernels.orbit_table import COLUMNS
from freefloat.orbit.reference import ReferenceOrbit


@dataclass
class FallingFrame:
    """Part and upkeep: gravity differences on every body, and the reference table kept ahead of the plant.

    Signals: `name.p_IW` [m] and `name.v_IW` [m/s], the frame's origin in ECI; a body is at p_IW + p_WB. When the
    system's centre of mass is farther than `reach` from the origin, the frame is put back on it: ECI states are kept,
    positions and velocities in W jump, and the audit books the jump.
    """

    reference: ReferenceOrbit
    name: str = "orbit"
    reach: Measure = 1000.0  # [m]
    ahead: Measure = 3600.0  # [s] of table made at a time
    period: Measure = 10.0  # [s] between looks

    def __post_init__(self) -> None:
        where = f"orbit {self.name!r}"
        take(self, where, reach=positive("m", inf=True), ahead=positive("s"), period=positive("s"))

    def build(self, b: Builder) -> None:
        """The gravity bank and the frame's own motion as signals; it looks after its table itself."""
        b.upkeep(self)
        row = b.add(ORBIT_GRAVITY.row(self._row))
        p = Signal(b.full("p_IW"), "m", (3,), "I", "origin of the falling frame in ECI")
        v = Signal(b.full("v_IW"), "m/s", (3,), "I", "velocity of the falling frame in ECI")
        b.signal(p, [RowOutput(row.name, k) for k in range(3)])
        b.signal(v, [RowOutput(row.name, 3 + k) for k in range(3)])

    @property
    def _row(self) -> str:
        return f"{self.name}.gravity"

    def tend(self, world: World, now_ns: int) -> None:
        """Extend the table when it ends soon; put the frame back on the centre of mass when that is far."""
        t = now_ns / 1e9
        if self.reference.t_end < t + 2.0 * self.period:
            self.reference.extend(t + max(self.ahead, 3.0 * self.period))
            self.restored(world)
        p_cm, v_cm = world.centre()
        if float(np.linalg.norm(p_cm)) > self.reach:
            self._anchor(world, t, p_cm, v_cm)

    def restored(self, world: World) -> None:
        """Give the world the table as it is."""
        r = self.reference
        field = r.forces.field
        head = np.zeros((1, COLUMNS))
        head[0, :7] = (r.t0, r.dt, field.mu, field.c_j2, *r.k_I)
        world.set_table(self._row, np.vstack([head, r.knots]))

    def _anchor(self, world: World, t: float, p_cm: Array, v_cm: Array) -> None:
        self.reference, dp, dv = self.reference.anchored(t, p_cm, v_cm)
        self.reference.extend(t + max(self.ahead, 3.0 * self.period))
        world.shift(dp, dv)
        self.restored(world)
