import math
from itertools import groupby
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from freefloat.errors import InputError
from freefloat.gnc.control.platform.modulation import (
    PulseWidth,
    PulseWidthFrequency,
    SigmaDelta,
    ValveLaw,
    pulse_width_frequency_tick,
    pulse_width_tick,
    sigma_delta_tick,
)

THRUST, DT, HOLD = 10.36, 0.01, 10
PULSE = THRUST * DT * HOLD
MODULATORS: list[ValveLaw] = [SigmaDelta(), PulseWidth(), PulseWidthFrequency()]


def run(modulator: ValveLaw, commands: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Valves (ticks, n) and states (ticks + 1, n, k) for commands (ticks, n)."""
    state = modulator.start(commands.shape[1])
    states, valves = [state], []
    for command in commands:
        state, on = modulator.step(state, command)
        states.append(state)
        valves.append(on)
    return np.array(valves), np.array(states)


def lengths(on: np.ndarray, kind: bool) -> list[int]:
    """Lengths [ticks] of the runs of `kind`, without the first and the last run."""
    runs = [(value, len(list(group))) for value, group in groupby(on.tolist())]
    return [n for value, n in runs[1:-1] if value == kind]


shares = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=60)


@settings(max_examples=150, deadline=None)
@given(shares, st.integers(1, 30))
def test_sigma_delta_impulse_stays_within_two_pulses_of_the_commanded(levels, repeat):
    commands = THRUST * np.repeat(levels, repeat)[:, None]
    on, states = run(SigmaDelta(), commands)
    owed = DT * np.cumsum(commands[:, 0] - THRUST * on[:, 0])
    assert owed.min() >= -1e-9 * PULSE
    assert owed.max() <= 2.0 * PULSE * (1.0 + 1e-9)
    np.testing.assert_allclose(states[1:, 0, 0], owed, atol=1e-10)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=300))
def test_sigma_delta_integrator_is_bounded_by_two_pulses_for_any_command(commands):
    _, states = run(SigmaDelta(), np.array(commands)[:, None])
    assert np.abs(states[:, 0, 0]).max() <= 2.0 * PULSE * (1.0 + 1e-9)


def test_sigma_delta_output_changes_only_at_ten_hertz():
    rng = np.random.default_rng(1)
    on, _ = run(SigmaDelta(), THRUST * rng.uniform(0.0, 1.0, (2000, 3)))
    changes = np.flatnonzero((on[1:] != on[:-1]).any(axis=1)) + 1
    assert len(changes) > 50
    assert (changes % HOLD == 0).all()


def test_sigma_delta_reads_its_input_at_every_tick_of_the_integrator():
    commands = np.zeros((20, 1))
    commands[3:9] = THRUST
    _, states = run(SigmaDelta(), commands)
    assert states[-1, 0, 0] == pytest.approx(0.6 * PULSE)


def test_sigma_delta_fires_once_for_every_pulse_of_impulse():
    on, _ = run(SigmaDelta(), np.full((10_000, 1), 0.05 * THRUST))
    assert on.sum() == pytest.approx(0.05 * 10_000, abs=2 * HOLD)
    assert set(lengths(on[:, 0], True)) == {HOLD}


@settings(max_examples=100, deadline=None)
@given(st.floats(0.0, 1.0))
def test_pulse_width_impulse_of_a_period_is_within_half_a_tick(duty):
    on, _ = run(PulseWidth(), np.full((3 * HOLD, 1), duty * THRUST))
    per_period = on[:, 0].reshape(3, HOLD).sum(axis=1)
    assert np.abs(per_period - duty * HOLD).max() <= 0.5 + 1e-9


def test_pulse_width_takes_its_command_at_the_start_of_the_period_alone():
    commands = np.zeros((20, 1))
    commands[0], commands[11:] = 0.4 * THRUST, THRUST
    on, _ = run(PulseWidth(), commands)
    np.testing.assert_array_equal(np.flatnonzero(on[:, 0]), [0, 1, 2, 3])


@settings(max_examples=100, deadline=None)
@given(st.lists(st.floats(0.0, 1.0), min_size=2, max_size=30))
def test_pulse_width_keeps_its_shortest_pulse_and_pause(duties):
    law = PulseWidth(period=20, min_on=4, min_off=6)
    on, _ = run(law, THRUST * np.repeat(duties, 20)[:, None])
    per_period = on[:, 0].reshape(-1, 20).sum(axis=1)
    assert set(per_period) <= {0, *range(4, 15), 20}
    assert np.abs(per_period - 20 * np.array(duties)).max() <= 3.0 + 1e-9


def test_pulse_width_frequency_is_silent_in_its_dead_zone_and_fires_above_it():
    law = PulseWidthFrequency()
    edge = law.on_level / law.gain
    on, _ = run(law, THRUST * np.tile([0.99 * edge, 1.1 * edge, -1.0], (5000, 1)))
    assert not on[:, 0].any()
    assert on[:, 1].any()
    assert not on[:, 2].any()


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_pulse_width_frequency_keeps_the_closed_form_pulse_and_pause(share):
    law = PulseWidthFrequency(dt=1e-4)
    on, _ = run(law, np.full((60_000, 1), share * THRUST))
    up, down = law.gain * share, law.gain * (share - 1.0)
    pulse = law.lag * math.log((law.on_level - down) / (law.off_level - down))
    pause = law.lag * math.log((up - law.off_level) / (up - law.on_level))
    assert np.mean(lengths(on[:, 0], True)) * law.dt == pytest.approx(pulse, abs=2 * law.dt)
    assert np.mean(lengths(on[:, 0], False)) * law.dt == pytest.approx(pause, abs=2 * law.dt)


@pytest.mark.parametrize("law", MODULATORS, ids=lambda m: type(m).__name__)
def test_a_step_leaves_its_arguments_alone_and_valves_do_not_mix(law):
    rng = np.random.default_rng(2)
    commands = THRUST * rng.uniform(0.0, 1.0, (400, 2))
    state = law.start(2)
    before = state.copy()
    law.step(state, commands[0])
    np.testing.assert_array_equal(state, before)
    both, _ = run(law, commands)
    alone, _ = run(law, commands[:, 1:])
    np.testing.assert_array_equal(both[:, 1:], alone)


@pytest.mark.parametrize("law", MODULATORS, ids=lambda m: type(m).__name__)
def test_a_command_that_is_not_a_number_is_no_thrust_and_does_not_stay(law):
    commands = np.full((600, 1), 0.5 * THRUST)
    commands[100:120] = np.nan
    replaced = np.nan_to_num(commands, nan=0.0)
    np.testing.assert_array_equal(run(law, commands)[0], run(law, replaced)[0])


def test_compiled_ticks_do_what_the_modulators_do():
    rng = np.random.default_rng(3)
    commands = THRUST * rng.uniform(0.0, 1.0, (300, 8))
    parameters = [
        (sigma_delta_tick, (THRUST, DT, 10, 1.0)),
        (pulse_width_tick, (THRUST, 10, 0, 0)),
        (pulse_width_frequency_tick, (THRUST, -math.expm1(-DT / 0.5), 4.5, 0.45, 0.15)),
    ]
    for law, (tick, numbers) in zip(MODULATORS, parameters, strict=True):
        compiled: Any = njit(tick)
        state, on = law.start(8), np.zeros(8, np.bool_)
        expected, states = run(law, commands)
        for k, command in enumerate(commands):
            compiled(state, command, on, *numbers)
            np.testing.assert_array_equal(on, expected[k])
        np.testing.assert_allclose(state, states[-1], atol=1e-12)


@pytest.mark.parametrize(
    "make",
    [
        lambda: SigmaDelta(thrust=0.0),
        lambda: SigmaDelta(hold=0),
        lambda: SigmaDelta(threshold=math.nan),
        lambda: PulseWidth(min_on=6, min_off=6),
        lambda: PulseWidthFrequency(on_level=0.1),
        lambda: PulseWidthFrequency(dt=-0.01),
    ],
)
def test_impossible_modulators_are_refused(make):
    with pytest.raises(InputError, match="allowed"):
        make()
