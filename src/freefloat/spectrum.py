"""RMS of a sampled signal in one-third-octave bands, by averaged periodograms (Welch 1967).

Band n has the centre 10^(n/10) Hz and the edges 10^((n -+ 0.5)/10) Hz, n = -20 ... 25: 46 bands from 0.01 to 316 Hz.
Segments overlap by half or more and are spread evenly over the record, so that no sample is left out. Each is weighted
by a Hann window w. The bins of one segment of N samples x hold

    P_k = c_k |fft(w x)_k|^2 / (N sum w^2),   c_k = 2, of the first and the last bin 1,

so that sum P_k = sum (w x)^2 / sum w^2 (Parseval): the mean square of x, weighted by w^2. Bin k stands for the
frequencies from (k - 1/2) to (k + 1/2) times the resolution; a bin across the edge of a band is shared by the overlap.
"""

from __future__ import annotations

import math
import reprlib
from dataclasses import dataclass
from os import PathLike
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from freefloat.amounts import Amount
from freefloat.errors import InputError
from freefloat.limit_curves import LimitCurve, load_limit

Array: TypeAlias = NDArray[np.float64]

CENTRES: Array = np.power(10.0, np.arange(-20.0, 26.0) / 10.0)  # [Hz]
EDGES: Array = np.power(10.0, (np.arange(-20.0, 27.0) - 0.5) / 10.0)  # [Hz] of all bands, one more than there are
BINS_RESOLVED = 2.0  # bins that a band must be wide for its RMS to be its own
EVENNESS = 1e-6  # [-] by how much of a step two samples may be apart otherwise
LEAST_SAMPLES = 8  # of a segment: a Hann window's own line is three bins wide
CENTRES.flags.writeable = EDGES.flags.writeable = False


class Margin(NamedTuple):
    """How far a band is below its limit."""

    frequency: float  # [Hz] centre of the band
    db: float  # [dB] negative above the limit


@dataclass(frozen=True, eq=False)
class ThirdOctaves:
    """RMS by band; bands that reach above half the sample rate are not there. Arrays are read-only.

    The value of a band that is not resolved is a share of bins wider than the band, hence that of its surroundings.
    """

    centres: Array  # [Hz]
    rms: Array  # of the samples' unit; of a vector the root of the sum of its entries' squares
    resolved: NDArray[np.bool_]  # whether the band is two bins wide or more
    resolution: float  # [Hz] width of a bin
    segments: int  # how many periodograms were averaged

    def __post_init__(self) -> None:
        for array in (self.centres, self.rms, self.resolved):
            array.flags.writeable = False

    @property
    def edges(self) -> Array:
        """Edges of the bands [Hz], one more than there are bands."""
        return EDGES[: len(self.centres) + 1]

    @property
    def total(self) -> float:
        """RMS over all bands."""
        return math.sqrt(float(np.sum(self.rms**2)))

    def margin_db(self, limit: LimitCurve | str | PathLike[str]) -> Array:
        """20 log10(limit / RMS) of every band; nan where a band is not resolved or has no limit.

        limit: a curve, the name of one, or a CSV file (`load_limit`). Samples must be in m/s^2.
        """
        curve = limit if isinstance(limit, LimitCurve) else load_limit(limit)
        with np.errstate(divide="ignore"):
            margin = 20.0 * np.log10(curve.at(self.centres) / self.rms)
        return np.where(self.resolved, margin, np.nan)

    def least_margin(self, limit: LimitCurve | str | PathLike[str]) -> Margin:
        """The band nearest to its limit, or furthest above it, of those that can be judged."""
        margins = self.margin_db(limit)
        judged = np.flatnonzero(~np.isnan(margins))
        if not judged.size:
            seen = f"bands resolved: {int(self.resolved.sum())} of {len(self.centres)}"
            raise InputError(f"least margin: {seen}, none of them with a limit; allowed: one or more")
        worst = int(judged[np.argmin(margins[judged])])
        return Margin(float(self.centres[worst]), float(margins[worst]))


def third_octave(
    t_or_rate: ArrayLike, samples: ArrayLike, *, lowest: float | str = 0.01, segment: float | str | None = None
) -> ThirdOctaves:
    """RMS in third-octave bands of samples (n,), or of vectors (n, k), less their mean.

    t_or_rate: instants of the samples [s], evenly spaced, or their rate [Hz].
    lowest: the lowest band that is wanted, by a frequency in it [Hz]; segments are as long as it takes to resolve it,
    or as long as the record. segment: their length [s] instead.
    """
    x = _samples(samples)
    rate = _rate(t_or_rate, len(x))
    count = int(np.searchsorted(EDGES[1:], 0.5 * rate, side="right"))
    if not count:
        raise InputError(f"rate {rate:g} Hz; allowed: >= {2.0 * EDGES[1]:.4g} Hz, twice the edge of the lowest band")
    length = _segment_length(rate, len(x), lowest, segment)
    starts = _starts(len(x), length)
    power, edges = _averaged_bins(x - x.mean(axis=0), rate, length, starts)
    bands = np.array([_share(power, edges, *EDGES[n : n + 2]) for n in range(count)])
    resolution, widths = rate / length, np.diff(EDGES[: count + 1])
    resolved = widths >= BINS_RESOLVED * resolution * (1.0 - 1e-12)
    return ThirdOctaves(CENTRES[:count], np.sqrt(bands), resolved, resolution, len(starts))


def _samples(samples: ArrayLike) -> Array:
    """As (n, k), all finite."""
    try:
        x = np.asarray(samples).astype(np.float64, casting="same_kind")
    except (TypeError, ValueError):
        raise InputError(f"samples {reprlib.repr(samples)}; allowed: an array of numbers") from None
    if x.ndim not in (1, 2) or len(x) < LEAST_SAMPLES or not x.size:
        raise InputError(f"samples of shape {x.shape}; allowed: (n,) or (n, k), n >= {LEAST_SAMPLES}")
    bad = np.argwhere(~np.isfinite(x))
    if len(bad):
        place = tuple(bad[0].tolist())
        raise InputError(f"samples[{', '.join(map(str, place))}] = {x[place]}; allowed: finite numbers")
    return x.reshape(len(x), -1)


def _rate(t_or_rate: Any, count: int) -> float:
    """The sample rate [Hz]."""
    if isinstance(t_or_rate, str) or np.ndim(t_or_rate) == 0:
        return Amount("Hz", gt=0.0).number(t_or_rate, "rate")
    try:
        t = np.asarray(t_or_rate, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"times {reprlib.repr(t_or_rate)}; allowed: an array of numbers in s, or a rate") from None
    if t.shape != (count,):
        raise InputError(f"times of shape {t.shape}; allowed: ({count},), an instant for each sample")
    steps = np.diff(t)
    step = float(np.median(steps))
    if not (step > 0.0 and math.isfinite(t[0]) and math.isfinite(t[-1])):
        raise InputError(f"times with steps of {step:g} s; allowed: finite and rising")
    uneven = np.flatnonzero(~(np.abs(steps - step) <= EVENNESS * step + 4.0 * np.spacing(np.abs(t).max())))
    if uneven.size:
        k = int(uneven[0])
        raise InputError(f"times[{k + 1}] is {steps[k]:g} s after the one before; allowed: even steps, here {step:g} s")
    return (count - 1) / float(t[-1] - t[0])


def _segment_length(rate: float, count: int, lowest: float | str, segment: float | str | None) -> int:
    """Samples in a segment."""
    if segment is not None:
        span = Amount("s", ge=LEAST_SAMPLES / rate, le=count / rate).number(segment, "segment")
        return min(max(round(span * rate), LEAST_SAMPLES), count)
    top = min(float(EDGES[-1]), 0.5 * rate)
    wanted = Amount("Hz", ge=float(EDGES[0]), le=top).number(lowest, "lowest band")
    band = min(int(np.searchsorted(EDGES, wanted, side="right")) - 1, len(CENTRES) - 1)
    needed = math.ceil(BINS_RESOLVED * rate / float(EDGES[band + 1] - EDGES[band]))
    grain = 2 ** max(needed.bit_length() - 7, 0)  # up to 1/64 longer: transforms of lengths with large primes are slow
    return min(max(math.ceil(needed / grain) * grain, LEAST_SAMPLES), count)


def _starts(count: int, length: int) -> list[int]:
    """First samples of the segments, from the record's begin to its end."""
    segments = 1 + math.ceil((count - length) / (0.5 * length))
    return [round(start) for start in np.linspace(0.0, count - length, segments).tolist()]


def _averaged_bins(x: Array, rate: float, length: int, starts: list[int]) -> tuple[Array, Array]:
    """Mean square in each bin, summed over the columns of x, and the bins' edges [Hz]."""
    window = 0.5 - 0.5 * np.cos(2.0 * np.pi * np.arange(length) / length)
    power = np.zeros(length // 2 + 1)
    for start in starts:
        for column in x.T:
            power += np.abs(np.fft.rfft(window * column[start : start + length])) ** 2
    power[1 : (length + 1) // 2] *= 2.0
    power /= len(starts) * length * float(np.sum(window**2))
    edges = np.arange(-0.5, len(power)) * (rate / length)
    edges[0], edges[-1] = 0.0, 0.5 * rate
    return power, edges


def _share(power: Array, edges: Array, low: float, high: float) -> float:
    """Mean square between two frequencies: whole bins, and of those across an end their part inside."""
    first = int(np.searchsorted(edges, low, side="right")) - 1
    last = int(np.searchsorted(edges, high, side="left"))
    left, right = edges[first:last], edges[first + 1 : last + 1]
    inside = np.minimum(right, high) - np.maximum(left, low)
    return float(np.sum(power[first:last] * inside / (right - left)))
