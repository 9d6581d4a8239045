"""A ball on a free body in a hollow cone on another, in the plane, by SciPy's DOP853 with located events.

Coordinates of each body: x, y of its centre of mass and its angle. The cone's walls are two lines from its apex; a wall
that is touched pushes the ball's centre with k times the penetration along its normal, at the point between the two.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

from freefloat.frames import Array


@dataclass(frozen=True)
class ProbeInCone:
    """Two equal bodies; the cone opens along -x of its body, the ball sits ahead of the other along +x."""

    mass: float  # [kg]
    inertia: float  # [kg m^2]
    stiffness: float  # [N/m]
    half_angle: float  # [rad]
    radius: float  # [m] of the ball
    apex: float  # [m] its x in the cone's body
    tip: float  # [m] x of the ball's centre in the other

    def contacts(self, start: Array, duration: float) -> list[tuple[float, float]]:
        """First touch and parting [s] of every contact, from (cone, probe) x (x, y, angle), then their rates."""
        t, state, touching = 0.0, np.asarray(start, dtype=np.float64), [False, False]
        began, found = [0.0, 0.0], list[tuple[float, float]]()
        while t < duration:
            events = [self._event(side, touching[side]) for side in (0, 1)]
            run = solve_ivp(
                lambda _, s, active: self._rates(s, active),
                (t, duration),
                state,
                "DOP853",
                args=(tuple(touching),),
                events=events,
                rtol=1e-13,
                atol=1e-15,
                max_step=0.01,
            )
            t, state = float(run.t[-1]), run.y[:, -1]
            for side in (0, 1):
                if len(run.t_events[side]):
                    if touching[side]:
                        found.append((began[side], t))
                    touching[side], began[side] = not touching[side], t
        return sorted(found)

    def _event(self, side: int, touching: bool):
        def gap(_: float, s: Array, active: tuple[bool, ...]) -> float:
            return self._gap(s, side)[0]

        gap.terminal, gap.direction = True, 1.0 if touching else -1.0  # type: ignore[attr-defined]
        return gap

    def _gap(self, s: Array, side: int) -> tuple[float, Array, Array]:
        """Gap of the ball to a wall, the normal from wall to ball, the ball's centre."""
        a = math.pi - self.half_angle if side == 0 else math.pi + self.half_angle
        along = _turn(s[2]) @ np.array([math.cos(a), math.sin(a)])
        n = np.array([along[1], -along[0]]) if side == 1 else np.array([-along[1], along[0]])
        apex = s[:2] + _turn(s[2]) @ np.array([self.apex, 0.0])
        centre = s[3:5] + _turn(s[5]) @ np.array([self.tip, 0.0])
        return float(n @ (centre - apex)) - self.radius, n, centre

    def _rates(self, s: Array, touching: tuple[bool, ...]) -> Array:
        force, torques = np.zeros(2), np.zeros(2)
        for side in (0, 1):
            if touching[side]:
                d, n, centre = self._gap(s, side)
                point, f = centre - (self.radius + 0.5 * d) * n, -self.stiffness * d * n
                force += f
                torques += [-_cross(point - s[:2], f), _cross(point - s[3:5], f)]
        spin = torques / self.inertia
        return np.concatenate([s[6:], -force / self.mass, spin[:1], force / self.mass, spin[1:]])


def _turn(a: float) -> Array:
    return np.array([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]])


def _cross(r: Array, f: Array) -> float:
    return float(r[0] * f[1] - r[1] * f[0])
