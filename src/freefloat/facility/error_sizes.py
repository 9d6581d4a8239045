"""How large the errors of a facility are before anything corrects them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from freefloat.amounts import Amount, Measure, Measures, not_negative, share, take, take_rows
from freefloat.errors import InputError

RAIL_LENGTHS = (50.0, 25.0, 12.5)  # [m] of the rail's long waves, which a model may know
RIPPLE_LENGTHS = (2.0, 0.9)  # [m] of its short ones, which it does not


@dataclass(frozen=True)
class ErrorSizes:
    """Sizes of what `drawn_truth` draws: normal with this sigma unless noted. All assumed but for `repeat` and `gear`.

    `gear` is an input that was chosen so that a calibrated facility comes out as the published one: 1.56 mm and 0.2 deg
    (Benninghoff and others 2017, sec. 2.2.4). It predicts nothing.
    """

    shift: Measure = 5e-4  # [m] of each step of a chain, in each direction
    turn: Measure = 5e-4  # [rad] of each step, about each axis
    zero: Measure = 5e-4  # [rad] of each axis
    stiffness: Measure = 0.2  # [-] of the gears against the model's, even between -0.2 and 0.2
    gear: Measures = (3.65e-4, 3.65e-4, 3.65e-4, 9.3e-4, 9.3e-4, 9.3e-4)  # [rad] of A1 to A6: RMS times sqrt(2)
    gear_waves: Measures = (1.0, 2.0, 12.0)  # [-] in a turn: eccentric, oval, teeth; phases by lot
    gear_shares: Measures = (1.0, 1.0, 1.0)  # [-] of these waves in the amplitude, to each other
    rail_scale: Measure = 5e-5  # [-] of E1
    rail_shift: Measure = 3e-4  # [m] amplitude of the rail's longest wave; shorter ones are smaller as their length
    rail_turn: Measure = 1e-4  # [rad] the same for turns
    ripple_shift: Measure = 3e-5  # [m] amplitude of the rail's short waves
    ripple_turn: Measure = 1e-5  # [rad]
    repeat: Measure = 1.5e-5  # [rad] of an axis, each time it comes: +-0.12 mm at the plate (Table 2) derived
    repeat_rail: Measure = 7e-6  # [m] of E1: +-0.02 mm (Table 1) as three sigma

    def __post_init__(self) -> None:
        where = "sizes of errors"
        take(self, where, shift=not_negative("m"), turn=not_negative("rad"), zero=not_negative("rad"))
        take(self, where, stiffness=share(), rail_scale=not_negative("-"), rail_shift=not_negative("m"))
        take(self, where, rail_turn=not_negative("rad"), ripple_shift=not_negative("m"))
        take(self, where, ripple_turn=not_negative("rad"), repeat=not_negative("rad"), repeat_rail=not_negative("m"))
        take_rows(self, where, 6, gear=Amount("rad", ge=0.0))
        take_rows(self, where, None, gear_waves=Amount("-", gt=0.0), gear_shares=Amount("-", gt=0.0))
        if len(self.gear_waves) != len(self.gear_shares):
            given = f"{len(self.gear_shares)} for {len(self.gear_waves)} waves"
            raise InputError(f"{where}: gear_shares, {given}; allowed: one for each of gear_waves")

    @property
    def modelled(self) -> ErrorSizes:
        """Only those that a calibration can find: no gear errors, no ripple, axes that come back exactly."""
        none = dict.fromkeys(("ripple_shift", "ripple_turn", "repeat", "repeat_rail"), 0.0)
        return replace(self, gear=(0.0,) * 6, **none)


NO_ERRORS = ErrorSizes(0.0, 0.0, 0.0, 0.0, rail_scale=0.0, rail_shift=0.0, rail_turn=0.0).modelled
