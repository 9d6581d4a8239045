"""The least propellant of a slew by thrusters, to compare a flown one with: known before anything flies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog

from freefloat.errors import InputError
from freefloat.frames import Array
from freefloat.gnc.control.slew import bang_time
from freefloat.units import G0


@dataclass(frozen=True)
class BangBang:
    """A turn about a fixed axis n of a body with inertia I, from rest to rest, with thrust, coast and thrust.

    Thrusters of full thrust f_i and wrenches b_i (moment about the centre of mass; force), open for shares u_i of the
    time, turn the body without moving it when sum u_i b_i = (I n a; 0). The largest such acceleration a with
    0 <= u_i <= 1 and, at this a, the least flow m' = sum u_i f_i / (Isp g0) are linear programs. In a given time T the
    rate of the coast is w = angle / (T - t), with t = w / a the time of each bang, and
        m = 2 t m' = 2 m' w / a.
    As m' / a depends only on n, w is all that counts, and it is least for the largest a. Where n is no principal axis,
    keeping the turn on it takes the torque w x I w, which is left out: m is then no bound, but still the same turn
    without that torque.
    """

    acceleration: float  # [rad/s^2] a
    flow: float  # [kg/s] m'

    @classmethod
    def of(
        cls,
        inertia: Array,  # [kg m^2] (3, 3) about the centre of mass
        axis: Array,  # unit vector n
        wrenches: Array,  # (6, n) [N m, N] of each thruster at full thrust
        specific_impulse: float,  # [s]
    ) -> BangBang:
        """The largest acceleration about an axis and its least flow."""
        n = wrenches.shape[1]
        thrust = np.linalg.norm(wrenches[3:], axis=0)
        turn = np.concatenate([inertia @ axis, np.zeros(3)])
        unit = np.abs(wrenches).max(axis=1, keepdims=True)  # rows of like size
        rows, goal = wrenches / unit, turn / unit[:, 0]
        fastest = linprog(
            np.append(np.zeros(n), -1.0),
            A_eq=np.column_stack([rows, -goal]),
            b_eq=np.zeros(6),
            bounds=[(0.0, 1.0)] * n + [(0.0, None)],
        )
        a = float(fastest.x[-1]) if fastest.success else 0.0
        if not a > 0.0:
            raise InputError(f"slew: no thrusters turn the body about {axis.tolist()} without pushing it")
        cheapest = linprog(thrust, A_eq=rows, b_eq=a * (1.0 - 1e-12) * goal, bounds=[(0.0, 1.0)] * n)
        return cls(a, float(cheapest.fun) / (specific_impulse * G0))

    def propellant(self, angle: float, duration: float) -> float:
        """[kg] of a turn by `angle` [rad] in `duration` [s]."""
        return 2.0 * bang_time(angle, duration, self.acceleration) * self.flow
