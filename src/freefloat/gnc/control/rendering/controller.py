"""The facility's computer: from motor angles and wrist wrenches to orders for the satellites' world, each cycle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from freefloat.frames import Array, Pose
from freefloat.gnc.control.rendering.carrier import Carrier
from freefloat.gnc.control.rendering.cycle import Moving, Orders, Sensed
from freefloat.gnc.control.rendering.shapes import Tools
from freefloat.gnc.control.rendering.touch import Touch

SETTLE = 25  # cycles at the start that find the wrists' zero
QUIET = 5  # cycles without touch after a sample, for it to count


class Way(Protocol):
    """A way to render."""

    @property
    def touch(self) -> Touch: ...

    def update(self, s: Sensed) -> Orders:
        """The orders of one cycle."""
        ...


@dataclass
class Tare:
    """Mean of the wrenches in free flight: what bias, weight and sag leave after compensation.

    Samples count when no touch has followed for a while: the first of a contact are too small to be seen as such.
    """

    mean: Array = field(default_factory=lambda: np.zeros(12))
    count: int = 0
    waiting: list[Array] = field(default_factory=list)

    def update(self, wrenches: Array, touching: bool) -> Array:
        """The wrenches less their zero, which is learned where nothing touches; zero until it is known."""
        known = self.count >= SETTLE
        self.waiting = [] if touching else [*self.waiting, wrenches]
        if len(self.waiting) > (QUIET if known else 0):
            self.count += 1
            self.mean = self.mean + (self.waiting.pop(0) - self.mean) / self.count
        return wrenches - self.mean if known else np.zeros(12)


class Rendering:
    """Reads, for k = 1, 2: `motor_k`, `rate_k`, `turn_k` (angles, rates and accelerations of the motors), `wrist_k`,
    all of the same instant, and of the satellite `p_k, q_k, v_k, w_k`. Returns `place` (1, 7), `gate` (1,), `wrench_1`,
    `wrench_2`, `since`; and for the log `force` (3,), `offset` (3,), `handed` (3,) and `touching`.

    The first `SETTLE` cycles only find the wrists' zero: nothing may touch then.
    """

    def __init__(self, carriers: tuple[Carrier, Carrier], tools: Tools, way: Way, tared: bool = True) -> None:
        self.carriers, self.tools, self.way = carriers, tools, way
        self.tare = Tare() if tared else None

    def update(self, t: float, meas: Mapping[str, Array]) -> dict[str, Any]:
        """One cycle."""
        s = self._sense(t, meas)
        order = self.way.update(s)
        return {
            "place": np.concatenate([order.place.p, order.place.q])[None, :],
            "gate": np.array([order.gate]),
            "wrench_1": order.wrench_1,
            "wrench_2": order.wrench_2,
            "since": order.since,
            "force": s.force,
            "offset": order.place.p - self.tools.surface.X_CS.p,
            "handed": s.X_1.R @ order.wrench_1[3:],
            "touching": np.array([float(self.way.touch.touching)]),
        }

    def _sense(self, t: float, meas: Mapping[str, Array]) -> Sensed:
        axes, rates, wrenches = list[Array](), list[Array](), list[Array]()
        for k, carrier in enumerate(self.carriers, 1):
            motors, qd, qdd = (np.array(meas[f"{name}_{k}"]) for name in ("motor", "rate", "turn"))
            q = carrier.links(motors, qdd)
            axes.append(q)
            rates.append(qd)
            wrenches.append(carrier.contact_wrench(q, qd, qdd, meas[f"wrist_{k}"]))
        poses = [c.pose(q) for c, q in zip(self.carriers, axes, strict=True)]
        found = np.concatenate(wrenches)
        if self.tare is not None:
            found = self.tare.update(found, self.way.touch.touching)
        tip = poses[0].apply(np.array(self.tools.p_ST))
        v_tip = [c.velocity_at(tip, q, qd) for c, q, qd in zip(self.carriers, axes, rates, strict=True)]
        soft = sum((c.compliance_at(tip, q) for c, q in zip(self.carriers, axes, strict=True)), np.zeros((3, 3)))
        satellites = [_moving(*(meas[f"{name}_{k}"] for name in "pqvw")) for k in (1, 2)]
        return Sensed(t, poses[0], poses[1], found[:6], found[6:], v_tip[0] - v_tip[1], soft, *satellites)


def _moving(p: Array, q: Array, v: Array, w_B: Array) -> Moving:
    return Moving(Pose.from_quat(q, p), np.array(v), np.array(w_B))
