"""Drivers: from the commanded effort to voltages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from freefloat.amounts import Amount, Measure, Measures, not_negative, positive, take, take_rows
from freefloat.errors import unknown_name

DriverKind = Literal["current", "voltage"]
DRIVER_KINDS: tuple[DriverKind, ...] = ("current", "voltage")


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
    kp: Measure = 6.28  # [V/A]
    ki: Measure = 6283.0  # [V/(A s)]
    supply: Measure = 48.0  # [V] V_s
    max_current: Measure = 10.0  # [A] I_max
    offset: Measures = (0.0, 0.0)  # [A] of the current sensors A, B
    gain: Measures = (0.0, 0.0)  # [-] errors of these sensors' gains
    standby: Measure = 0.0  # [W] drawn besides the motor's power

    def __post_init__(self) -> None:
        if self.kind not in DRIVER_KINDS:
            raise unknown_name("driver kind", str(self.kind), DRIVER_KINDS)
        take(self, "driver", kp=positive("V/A"), ki=not_negative("V/(A s)"), supply=positive("V"))
        take(self, "driver", max_current=positive("A"), standby=not_negative("W"))
        take_rows(self, "driver", 2, offset=Amount("A"), gain=Amount("-", gt=-1.0))
