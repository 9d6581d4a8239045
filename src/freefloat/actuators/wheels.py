"""Reaction wheels on a body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from freefloat.amounts import Amount, Measure, Measures, not_negative, positive, take, take_rows
from freefloat.engine.blueprint import Builder
from freefloat.errors import InputError
from freefloat.kernels.wheel import WHEEL


@dataclass(frozen=True)
class ReactionWheels:
    """n equal wheels on the body of the frame `on`, axes given in that frame.

    Command `name.tau` (n,): motor torque on each rotor; the body feels its reaction. With a `speed_lag` the motors have
    a speed loop instead: command `name.speed_command` (n,), torque J (command - speed) / lag within its limit. Signals:
    `name.speed` [rad/s], `name.h` [N m s], `name.tau_applied`. The body's own inertia contains everything of the wheels
    but the spin inertia about their axes.
    """

    name: str
    on: str
    axes: Measures  # [-] (n, 3) in the frame `on`; normalised here
    inertia: Measure = 0.005  # [kg m^2] about the spin axis
    max_torque: Measure = 0.1  # [N m]
    max_speed: Measure = 600.0  # [rad/s]
    viscous: Measure = 0.0  # [N m s/rad]
    dry: Measure = 0.0  # [N m]
    static_imbalance: Measure = 0.0  # [kg m]
    dynamic_imbalance: Measure = 0.0  # [kg m^2]
    momentum: Measure | Measures = 0.0  # [N m s] of each rotor at the start, along its axis
    speed_lag: Measure = 0.0  # [s] of the motors' speed loop; 0: commands are torques

    def __post_init__(self) -> None:
        where = f"wheels {self.name!r}"
        take(self, where, inertia=positive("kg m^2"), max_torque=positive("N m", inf=True))
        take(self, where, max_speed=positive("rad/s", inf=True))
        take(self, where, viscous=not_negative("N m s/rad"), dry=not_negative("N m"), speed_lag=not_negative("s"))
        take(self, where, static_imbalance=not_negative("kg m"), dynamic_imbalance=not_negative("kg m^2"))
        one = isinstance(self.axes, (Sequence, np.ndarray)) and all(np.ndim(a) == 0 for a in self.axes)
        take_rows(self, where, *((3,) if one else (None, 3)), axes=Amount("-"))
        if np.ndim(self.momentum) == 0:
            take(self, where, momentum=Amount("N m s"))
        else:
            take_rows(self, where, 1 if one else len(self.axes), momentum=Amount("N m s"))

    def build(self, b: Builder) -> None:
        """One bank row per wheel."""
        axes = np.atleast_2d(np.asarray(self.axes, dtype=np.float64))
        lengths = np.linalg.norm(axes, axis=1)
        if not np.all(lengths > 0.0):
            raise InputError(f"wheels {self.name!r}: axes must be rows of 3 numbers that are not all zero")
        link, X_LF = b.blueprint.frame(self.on)
        n = axes.shape[0]
        start = np.broadcast_to(self.momentum, (n,))
        labels = tuple(f"wheel {k}" for k in range(n))
        if self.speed_lag > 0.0:
            limits = (-self.max_speed, self.max_speed)
            meaning = "speed that each motor's loop goes to"
            command = b.command("speed_command", (n,), "rad/s", meaning, limits, labels=labels)
        else:
            limits = (-self.max_torque, self.max_torque)
            command = b.command("tau", (n,), "N m", "motor torque on each rotor", limits, labels=labels)
        rows = []
        for k in range(n):
            axis = X_LF.R @ (axes[k] / lengths[k])
            across = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
            row = WHEEL.row(
                b.full(f"wheel{k}"),
                {"momentum": float(start[k])},
                body=link,
                motor=(command, k),
                axis=axis,
                inertia=self.inertia,
                max_torque=self.max_torque,
                max_speed=self.max_speed,
                viscous=self.viscous,
                dry=self.dry,
                static_imbalance=self.static_imbalance,
                dynamic_imbalance=self.dynamic_imbalance,
                p_BP=X_LF.p,
                across=across / np.linalg.norm(across),
                speed_lag=self.speed_lag,
            )
            rows.append(b.add(row))
        b.signal_of("speed", rows, "speed", "rotor speed", labels=labels)
        b.signal_of("tau_applied", rows, "torque", "motor torque after limits", labels=labels)
        b.signal_of("h", rows, "momentum", "rotor momentum about its axis", labels=labels)
