"""Time scales and the range of the packaged data."""

from __future__ import annotations

import pickle

import pytest

from freefloat.errors import InputError
from freefloat.orbit.epoch import Epoch, data_range
from freefloat.orbit.offline import brahe

DAY = 86400.0


def seconds(jd: tuple[float, float], origin: float = 2451545.0) -> float:
    return ((jd[0] - origin) + jd[1]) * DAY


def test_j2000_in_terrestrial_time_is_64_184_s_after_noon_utc() -> None:
    assert seconds(Epoch("2000-01-01T12:00:00Z").tt()) == pytest.approx(64.184, abs=1e-6)


def test_si_seconds_count_through_the_leap_second_of_2016() -> None:
    before = Epoch("2016-12-31T23:59:59Z")
    assert before.isoformat(1.0) == "2016-12-31T23:59:60.000"
    assert before.isoformat(2.0) == "2017-01-01T00:00:00.000"
    assert Epoch("2017-01-01").seconds_since(before) == pytest.approx(2.0, abs=1e-6)


def test_barycentric_time_stays_within_2_ms_of_terrestrial_time() -> None:
    e = Epoch("2026-03-20T12:00:00Z")
    lag = [seconds(e.tdb(d * DAY)) - seconds(e.tt(d * DAY)) for d in range(0, 366, 30)]
    assert all(abs(x) < 2e-3 for x in lag)
    assert max(lag) - min(lag) > 2e-3


def test_stamps_agree_with_brahe_to_a_microsecond_in_every_scale() -> None:
    e, bh = Epoch("2016-12-31T23:00:00.25Z"), brahe()
    for t in (0.0, 3599.5, 3602.0, 86400.125):
        stamp = e.stamp(t)
        assert stamp.mjd_as_time_system(bh.TimeSystem.TT) - 51544.5 == pytest.approx(seconds(e.tt(t)) / DAY, abs=1e-11)
        assert stamp.to_string_as_time_system(bh.TimeSystem.UTC) == e.isoformat(t).replace("T", " ") + " UTC"


def test_nanoseconds_of_the_text_survive() -> None:
    assert Epoch("2026-03-20 12:00:00.123456789 UTC").isoformat(0.0, 9) == "2026-03-20T12:00:00.123456789"


def test_epochs_survive_pickling() -> None:
    e = Epoch("2026-03-20T12:00:00Z")
    assert pickle.loads(pickle.dumps(e)) == e


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("yesterday", "ISO 8601"),
        ("2026-03-20T12:00:00+02:00", "ISO 8601"),
        ("2026-02-30", "UTC instant: bad day$"),
        ("2026-13-01", "bad month"),
        ("2026-01-01T23:59:60Z", "UTC instant: time is after end of day$"),
        ("1950-01-01", "Earth-orientation data, which cover 1973-01-02 to"),
        ("2150-01-01", "Earth-orientation data, which cover 1973-01-02 to"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_a_bad_epoch_is_one_sentence_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason) as caught:
        Epoch(text)
    assert "\n" not in str(caught.value)


@pytest.mark.filterwarnings("error")
def test_a_run_that_leaves_the_earth_orientation_data_is_refused_with_its_range() -> None:
    last = data_range("Earth-orientation")[1]
    with pytest.raises(InputError, match=f"Earth-orientation data, which cover .* to {last}"):
        Epoch("2026-03-20").check(40 * 365 * DAY)


def test_space_weather_is_checked_where_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    e = Epoch("2026-03-20")
    monkeypatch.setattr(brahe(), "get_global_sw_mjd_max", lambda: 60000.0)
    e.check()
    with pytest.raises(InputError, match="space-weather data, which cover 1957-10-01 to 2023-02-25"):
        e.check(space_weather=True)
