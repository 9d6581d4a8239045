import numpy as np
import pytest

from freefloat.errors import InputError
from freefloat.limit_curves import MICRO_G, LimitCurve
from freefloat.spectrum import CENTRES, EDGES, third_octave

RATE = 1000.0  # [Hz]


def _sine(frequency: float, seconds: float, amplitude: float = 1.0, rate: float = RATE) -> np.ndarray:
    return amplitude * np.sin(2.0 * np.pi * frequency * np.arange(round(seconds * rate)) / rate)


def test_there_are_46_bands_that_meet_at_their_edges() -> None:
    assert (len(CENTRES), len(EDGES)) == (46, 47)
    assert [CENTRES[0], CENTRES[20], CENTRES[-1]] == pytest.approx([0.01, 1.0, 10**2.5])
    assert [EDGES[0], EDGES[20], EDGES[-1]] == pytest.approx([10**-2.05, 10**-0.05, 10**2.55])


def test_a_sine_is_in_its_own_band_alone() -> None:
    found = third_octave(RATE, _sine(10.0, 10.0, amplitude=3.0), segment=4.0)
    expected = np.where(np.isclose(found.centres, 10.0), 3.0 / np.sqrt(2.0), 0.0)
    assert found.rms[found.resolved] == pytest.approx(expected[found.resolved], abs=1e-12)
    assert found.total == pytest.approx(3.0 / np.sqrt(2.0), rel=1e-12)


def test_a_constant_is_taken_off() -> None:
    found = third_octave(RATE, 1e3 + _sine(10.0, 4.0))
    assert found.total == pytest.approx(np.sqrt(0.5), rel=1e-9)


def test_of_a_vector_the_bands_are_the_root_of_the_sum_of_squares() -> None:
    x, y = _sine(10.0, 4.0, 3.0), _sine(10.0, 4.0, 4.0)
    both = third_octave(RATE, np.stack([x, y], axis=1))
    assert both.rms == pytest.approx(np.hypot(third_octave(RATE, x).rms, third_octave(RATE, y).rms), abs=1e-14)
    assert both.total == pytest.approx(5.0 / np.sqrt(2.0), rel=1e-9)


def test_segments_are_as_long_as_the_lowest_band_needs_and_use_every_sample() -> None:
    found = third_octave(100.0, np.random.default_rng(3).normal(size=6000), lowest=1.0)
    assert found.resolved.tolist() == (found.centres > 0.99).tolist()
    assert found.segments > 5
    late = np.zeros(6000)
    late[-20:] = 1.0
    assert third_octave(100.0, late, lowest=1.0).total > 0.0


def test_a_record_too_short_for_the_lowest_band_is_one_segment_with_bands_marked() -> None:
    found = third_octave(RATE, _sine(10.0, 10.0))
    assert (found.segments, found.resolution) == (1, pytest.approx(0.1))
    assert found.resolved.tolist() == (np.diff(EDGES) >= 0.2).tolist()


def test_a_record_of_867_s_resolves_all_bands_and_one_of_866_s_does_not() -> None:
    rate = 800.0
    assert third_octave(rate, np.zeros(round(867 * rate))).resolved.all()
    assert not third_octave(rate, np.zeros(round(866 * rate))).resolved[0]


def test_bands_that_reach_above_half_the_rate_are_not_there() -> None:
    found = third_octave(500.0, _sine(10.0, 4.0, rate=500.0))
    assert found.centres[-1] == pytest.approx(10**2.3)
    assert (len(found.rms), len(found.edges)) == (44, 45)


def test_times_serve_as_well_as_a_rate() -> None:
    x = _sine(10.0, 4.0)
    by_rate, by_times = third_octave("1 kHz", x), third_octave(500.0 + np.arange(len(x)) / RATE, x)
    assert by_times.rms == pytest.approx(by_rate.rms, rel=1e-6)
    assert by_times.resolution == pytest.approx(by_rate.resolution, rel=1e-9)


def test_margins_are_those_of_resolved_bands_with_a_limit() -> None:
    found = third_octave(RATE, _sine(10.0, 4.0, amplitude=18.0 * MICRO_G * np.sqrt(2.0)))
    margin = found.margin_db("iss-microgravity")
    assert np.isnan(margin).tolist() == (~found.resolved).tolist()
    assert found.least_margin("iss-microgravity") == pytest.approx((10.0, 20.0))
    short = LimitCurve("short", (5.0, 20.0), (1.0, 1.0))
    assert np.isfinite(found.margin_db(short)).sum() == 7


def test_a_silent_band_is_infinitely_below_its_limit() -> None:
    found = third_octave(RATE, np.zeros(4000))
    assert found.least_margin("iss-microgravity").db == np.inf


def test_without_a_band_to_judge_there_is_no_least_margin() -> None:
    found = third_octave(RATE, _sine(10.0, 4.0))
    with pytest.raises(InputError, match="none of them with a limit"):
        found.least_margin(LimitCurve("low", (0.01, 0.02), (1.0, 1.0)))


def test_results_cannot_be_written_to() -> None:
    found = third_octave(RATE, _sine(10.0, 4.0))
    for array in (found.centres, found.rms, found.resolved, found.edges):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


@pytest.mark.parametrize(
    ("t_or_rate", "samples", "options", "told"),
    [
        (0.0, np.zeros(100), {}, "rate 0.0 Hz; allowed: > 0 Hz"),
        ("5 m", np.zeros(100), {}, "rate: '5 m' has the wrong dimension"),
        (0.02, np.zeros(100), {}, "rate 0.02 Hz; allowed: >= 0.02244 Hz"),
        (RATE, np.zeros(7), {}, "samples of shape (7,); allowed: (n,) or (n, k), n >= 8"),
        (RATE, np.zeros((9, 2, 2)), {}, "samples of shape (9, 2, 2)"),
        (RATE, np.array([[0.0, 1.0]] * 8 + [[0.0, np.nan]]), {}, "samples[8, 1] = nan; allowed: finite numbers"),
        (RATE, ["a"] * 9, {}, "allowed: an array of numbers"),
        (RATE, np.zeros(9, dtype=complex), {}, "allowed: an array of numbers"),
        (np.arange(8.0), np.zeros(9), {}, "times of shape (8,); allowed: (9,)"),
        (np.array([0, 1, 2, 3, 4.1, 5, 6, 7, 8]), np.zeros(9), {}, "times[4] is 1.1 s after the one before"),
        (np.zeros(9), np.zeros(9), {}, "times with steps of 0 s; allowed: finite and rising"),
        (np.array([*range(8), np.nan]), np.zeros(9), {}, "allowed: finite and rising"),
        (RATE, np.zeros(100), {"segment": 1.0}, "segment 1.0 s; allowed: >= 0.008 and <= 0.1 s"),
        (RATE, np.zeros(100), {"segment": "-1 s"}, "segment '-1 s'; allowed"),
        (RATE, np.zeros(100), {"lowest": 0.0}, "lowest band 0.0 Hz; allowed: >= 0.00891"),
        (RATE, np.zeros(100), {"lowest": 400.0}, "lowest band 400.0 Hz; allowed"),
    ],
)
def test_input_that_cannot_be_analysed_is_refused_with_value_and_what_is_allowed(
    t_or_rate: object, samples: object, options: dict[str, object], told: str
) -> None:
    with pytest.raises(InputError) as refused:
        third_octave(t_or_rate, samples, **options)  # type: ignore[arg-type]
    assert told in str(refused.value)
