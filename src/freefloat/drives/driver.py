"""Drivers: from the commanded effort to voltages."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from freefloat.drives.checked import FieldError, check_kind, check_numbers

DriverKind = Literal["current", "voltage"]
DRIVER_KINDS: tuple[DriverKind, ...] = ("current", "voltage")
Pair = tuple[float, float]


@dataclass(frozen=True)
class Driver:
    """An amplifier that gets the effort tau_c [N m] of the joint and feeds the phases X = A, B.

    I = clip(clip(tau_c, +-effort) / (N K), +-I_max),  th_r = th + eps sin 2 th     (reading of the motor's resolver)
    i_ref,A = I cos(p th_r),  i_ref,B = I sin(p th_r)
    Current loop:
        e_X = i_ref,X - ((1 + gain_X) i_X + offset_X),  v_X = clip(kp e_X + x_X, +-V_s)
        x_X' = ki e_X + (ki / kp)(v_X - kp e_X - x_X)     (the second term against wind-up: 0 unless v_X is clipped)
    Voltage amplifier: v_X = clip(R0 i_ref,X, +-V_s)
    """

    # all assumed, docs/reference/parameters.md, "Joint drives"; gains: 1 kHz with 1 ohm and 1 mH
    kind: DriverKind = "current"
    kp: float = 6.28  # [V/A]
    ki: float = 6283.0  # [V/(A s)]
    supply: float = 48.0  # [V] V_s
    max_current: float = 10.0  # [A] I_max
    offset: Pair = (0.0, 0.0)  # [A] of the current sensors
    gain: Pair = (0.0, 0.0)  # [-] errors of the current sensors' gains
    standby: float = 0.0  # [W] drawn besides the motor's power

    def __post_init__(self) -> None:
        check_kind("driver", self.kind, DRIVER_KINDS)
        check_numbers("driver", self, "kp supply max_current", above=0.0)
        check_numbers("driver", self, "ki standby", least=0.0)
        for name, least in (("offset", -math.inf), ("gain", -1.0)):
            value = getattr(self, name)
            try:
                pair = tuple(float(v) for v in value)
            except (TypeError, ValueError):
                pair = ()
            if len(pair) != 2 or not all(math.isfinite(v) and v > least for v in pair):
                bound = "" if least == -math.inf else f" > {least:g}"
                raise FieldError("driver", name, value, f"two finite numbers{bound}, of phases A and B")
            object.__setattr__(self, name, pair)
