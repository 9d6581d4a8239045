"""Sizes of the facility's errors as settings of scenarios."""

from __future__ import annotations

from freefloat.facility.error_sizes import ErrorSizes
from freefloat.scenario.fields import Settings, quantity

USUAL = ErrorSizes()


class ErrorSettings(Settings):
    """How large the errors of a facility are; each is drawn by the seed."""

    shift: float = quantity(USUAL.shift, "m", "sigma of each step of a robot's chain, in each direction", ge=0, le=0.1)
    turn: float = quantity(USUAL.turn, "rad", "sigma of each step of a robot's chain, about each axis", ge=0, le=0.1)
    zero: float = quantity(USUAL.zero, "rad", "sigma of the zero of each axis", ge=0, le=0.1)
    stiffness: float = quantity(USUAL.stiffness, "-", "share by which gears are softer or stiffer at most", ge=0, lt=1)
    gear_arm: float = quantity(
        USUAL.gear[0],
        "rad",
        "errors of gears A1 to A3, RMS times sqrt(2): an input, scaled to 1.56 mm",
        ge=0,
        le=0.1,
    )
    gear_wrist: float = quantity(
        USUAL.gear[3],
        "rad",
        "errors of gears A4 to A6, RMS times sqrt(2): an input, scaled to 0.2 deg",
        ge=0,
        le=0.1,
    )
    rail_scale: float = quantity(USUAL.rail_scale, "-", "sigma of the scale of E1", ge=0, le=0.1)
    rail_shift: float = quantity(USUAL.rail_shift, "m", "amplitude of the longest wave of the rail", ge=0, le=0.1)
    rail_turn: float = quantity(USUAL.rail_turn, "rad", "amplitude of its turns", ge=0, le=0.1)
    ripple_shift: float = quantity(USUAL.ripple_shift, "m", "amplitude of the short waves of the rail", ge=0, le=0.1)
    ripple_turn: float = quantity(USUAL.ripple_turn, "rad", "amplitude of their turns", ge=0, le=0.1)
    repeat: float = quantity(USUAL.repeat, "rad", "sigma of an axis each time it comes", ge=0, le=0.1)
    repeat_rail: float = quantity(USUAL.repeat_rail, "m", "sigma of E1 each time it comes", ge=0, le=0.1)

    def sizes(self) -> ErrorSizes:
        """For `drawn_truth`."""
        same = {name: getattr(self, name) for name in type(self).model_fields if not name.startswith("gear_")}
        return ErrorSizes(gear=(self.gear_arm,) * 3 + (self.gear_wrist,) * 3, **same)
