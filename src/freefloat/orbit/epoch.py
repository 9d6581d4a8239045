"""Epochs and time scales: the one place where calendar time enters, offline.

A run counts seconds (SI, TAI rate) from its epoch; the epoch is an instant in UTC. Julian dates come in two parts
(day, fraction) as IAU routines take them, good to a microsecond over a century.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from freefloat.errors import InputError
from freefloat.frames import Array
from freefloat.orbit.offline import brahe, erfa

DAY = 86400.0  # [s]
MJD_ORIGIN = 2400000.5  # [d] Julian date of MJD 0

_ISO = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2}(?:\.\d{1,9})?))?)?(?:Z| ?UTC)?", re.ASCII | re.IGNORECASE
)
_DATA = {"Earth-orientation": "eop", "space-weather": "sw"}


def _parse(text: str) -> tuple[int, int, int, int, int, float]:
    match = _ISO.fullmatch(text.strip())
    if match is None:
        raise InputError(f"epoch {text!r} is not an ISO 8601 date in UTC such as 2026-03-20T12:00:00Z")
    year, month, day, hour, minute = (int(g or 0) for g in match.groups()[:5])
    return year, month, day, hour, minute, float(match[6] or 0.0)


def _julian(text: str, parts: tuple[int, int, int, int, int, float]) -> tuple[float, float]:
    """Quasi Julian date (UTC) as IAU routines define it on days with a leap second."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # erfa warns of a second past the end of its day
        _accept_any_year()
        try:
            day, fraction = erfa().dtf2d("UTC", *parts)
        except (erfa().ErfaError, erfa().ErfaWarning) as problem:
            reason = str(problem).partition('"dtf2d" yielded ')[2].partition('"')[2].partition(" (")[0].strip('"')
            raise InputError(f"epoch {text!r} is not a valid UTC instant: {reason}") from None
    return float(day), float(fraction)


def _accept_any_year() -> None:
    warnings.filterwarnings("ignore", ".*dubious year")  # our own range check says it better


def data_range(kind: str) -> tuple[str, str]:
    """First and last UTC day of the packaged "Earth-orientation" or "space-weather" data, as ISO dates."""
    low, high = _mjd_range(kind)
    return _date(low), _date(high)


def _mjd_range(kind: str) -> tuple[float, float]:
    name, bh = _DATA[kind], brahe()
    return getattr(bh, f"get_global_{name}_mjd_min")(), getattr(bh, f"get_global_{name}_mjd_max")()


def _date(mjd: float) -> str:
    year, month, day, _ = erfa().jd2cal(MJD_ORIGIN, mjd)
    return f"{int(year):04d}-{int(month):02d}-{int(day):02d}"


def _check(text: str, mjd: float, kind: str) -> None:
    low, high = _mjd_range(kind)
    if not low <= mjd <= high:
        raise InputError(
            f"epoch {text} (UTC) is outside the packaged {kind} data, which cover {_date(low)} to {_date(high)}"
        )


@dataclass(frozen=True)
class Epoch:
    """An instant in UTC, for example `Epoch("2026-03-20T12:00:00Z")`; `t` below is seconds (SI) after it."""

    text: str
    _tai: tuple[float, float] = field(init=False, repr=False, compare=True)
    _brahe: Any = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        parts = _parse(self.text)
        day, fraction = _julian(self.text, parts)
        _check(self.text, day - MJD_ORIGIN + fraction, "Earth-orientation")
        day, fraction = erfa().utctai(day, fraction)
        object.__setattr__(self, "_tai", (float(day), float(fraction)))
        whole = int(parts[5])
        nanoseconds = round((parts[5] - whole) * 1e9)
        bh = brahe()
        stamp = bh.Epoch.from_datetime(*parts[:5], float(whole), float(nanoseconds), bh.TimeSystem.UTC)
        object.__setattr__(self, "_brahe", stamp)

    def __reduce__(self) -> tuple[type[Epoch], tuple[str]]:
        return Epoch, (self.text,)

    def tai(self, t: ArrayLike = 0.0) -> tuple[Any, Any]:
        """Two-part Julian date TAI of t; `t` may be an array."""
        day, fraction = self._tai
        return day, fraction + np.asarray(t, dtype=np.float64) / DAY

    def tt(self, t: ArrayLike = 0.0) -> tuple[Any, Any]:
        """Two-part Julian date TT = TAI + 32.184 s."""
        return erfa().taitt(*self.tai(t))

    def tdb(self, t: ArrayLike = 0.0) -> tuple[Any, Any]:
        """Two-part Julian date TDB at the geocentre (erfa dtdb; Fairhead and Bretagnon 1990), good to 10 us."""
        day, fraction = self.tt(t)
        return day, fraction + erfa().dtdb(day, fraction, 0.0, 0.0, 0.0, 0.0) / DAY

    def utc(self, t: ArrayLike = 0.0) -> tuple[Any, Any]:
        """Two-part quasi Julian date UTC."""
        return erfa().taiutc(*self.tai(t))

    def isoformat(self, t: float = 0.0, decimals: int = 3) -> str:
        """UTC of t as `2026-03-20T12:00:00.000`, rounded; a leap second shows as 60."""
        year, month, day, clock = erfa().d2dtf("UTC", decimals, *self.utc(t))
        hour, minute, second, part = (int(v) for v in clock.tolist())
        tail = f".{part:0{decimals}d}" if decimals else ""
        return f"{int(year):04d}-{int(month):02d}-{int(day):02d}T{hour:02d}:{minute:02d}:{second:02d}{tail}"

    def stamp(self, t: float = 0.0) -> Any:
        """The instant t as brahe's Epoch."""
        return self._brahe + float(t)

    def stamps(self, t: Iterable[float]) -> list[Any]:
        return [self._brahe + float(s) for s in t]

    def seconds_since(self, other: Epoch) -> float:
        """SI seconds from `other` to this epoch."""
        (a, b), (c, d) = self._tai, other._tai
        return ((a - c) + (b - d)) * DAY

    def check(self, t: float = 0.0, *, space_weather: bool = False) -> None:
        """Raise `InputError` unless the packaged data cover the instant t."""
        with warnings.catch_warnings():
            _accept_any_year()
            day, fraction = self.utc(t)
            mjd = float(day - MJD_ORIGIN + fraction)
            for kind in _DATA if space_weather else ("Earth-orientation",):
                _check(self.isoformat(t, 0), mjd, kind)


def seconds_grid(start: float, stop: float, step: float) -> Array:
    """Instants k * step that enclose [start, stop], first and last included [s]."""
    low, high = np.floor(start / step), np.ceil(stop / step)
    return np.arange(low, max(high, low + 1.0) + 1.0) * step
