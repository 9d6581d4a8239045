"""Third-octave analysis: sines and sums of them in closed form, noise within its statistics, edges, limits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from freefloat.frames import Array
from freefloat.limit_curves import MICRO_G, load_limit
from freefloat.spectrum import CENTRES, EDGES, ThirdOctaves, third_octave
from freefloat.verify.case import Comparison, at_most, case, within

RATE = 1000.0  # [Hz]
SEGMENT = 100.0  # [s]
BIN = 1.0 / SEGMENT  # [Hz]
LIMIT = "iss-microgravity"
CORNERS = {0.01: 1.8, 0.1: 1.8, 1.0: 18.0, 10.0: 180.0, 100.0: 1800.0, 10.0**2.5: 1800.0}  # Hz: ug

# Hann windows: squared correlation of periodograms that overlap by half, and of bins one and two apart
OVERLAP = (1.0 / 6.0) ** 2
NEIGHBOURS = (2.0 / 3.0) ** 2 + (1.0 / 6.0) ** 2


@case(
    "third-octave",
    source="closed forms of the Hann window (Harris 1978), Parseval's theorem, scipy.signal.welch; "
    "limits: NASA, ISS Microgravity Control Plan",
)
def third_octave_case() -> Iterator[Comparison]:
    """What a band holds of sines, of sums of sines and of noise; which bands there are; the limit."""
    yield from _sines()
    yield from _parseval()
    yield from _noise()
    yield from _shared_bins()
    yield from _bands()
    yield from _limit()


def _instants(seconds: float, rate: float = RATE) -> Array:
    return np.arange(round(seconds * rate)) / rate


def _sines() -> Iterator[Comparison]:
    """A whole number of periods in a segment: the window spreads a sine over three bins, all of one band."""
    own, others = 0.0, 0.0
    for rate, segment, bands in ((RATE, SEGMENT, (-5, 0, 7, 15, 20, 25)), (10.0, 1e4, (-20, -17, -10, -5, 5))):
        t = _instants(3.0 * segment, rate)
        for band in (n + 20 for n in bands):
            waves = 2.0 * np.pi * round(float(CENTRES[band]) * segment) / segment * t
            vectors = np.stack([3.0 * np.sin(waves + 0.3), 4.0 * np.cos(waves)], axis=1)
            rms = third_octave(rate, vectors, segment=segment).rms
            own = max(own, abs(float(rms[band]) * np.sqrt(2.0) / 5.0 - 1.0))
            others = max(others, float(np.delete(rms, band).max()) / 5.0)
    yield at_most("sines of a vector, each in its band, relative", "-", ours=own, tolerance=1e-9)
    yield at_most("the same sines in all other bands, of their amplitude", "-", ours=others, tolerance=1e-9)


def _parseval() -> Iterator[Comparison]:
    """Sines at whole bins, three apart or more, do not meet in w^2: the bands hold the mean square."""
    rng = np.random.default_rng(17)
    t = _instants(3.0 * SEGMENT)
    bins = 3 * rng.choice(np.arange(1, 11_000), size=60, replace=False) + 3
    amplitudes, phases = 10.0 ** rng.uniform(-3.0, 0.0, 60), rng.uniform(0.0, 2.0 * np.pi, 60)
    waves = zip(amplitudes, bins, phases, strict=True)
    x = sum((a * np.sin(2.0 * np.pi * k * BIN * t + p) for a, k, p in waves), start=np.zeros_like(t))
    found = third_octave(RATE, x, segment=SEGMENT)
    exact = 0.5 * float(np.sum(amplitudes**2))
    yield at_most(
        "Parseval, 60 sines: sum of all bands, relative",
        "-",
        ours=abs(found.total**2 / exact - 1.0),
        tolerance=1e-9,
    )
    sampled = float(np.mean(x[: round(SEGMENT * RATE)] ** 2))
    yield at_most("the same against the samples", "-", ours=abs(found.total**2 / sampled - 1.0), tolerance=1e-9)


def _noise() -> Iterator[Comparison]:
    """White noise of unit variance: its density is 2 / rate; the spread of a band follows from bins and averages."""
    x = np.random.default_rng(5).normal(size=round(13 * 0.5 * SEGMENT * RATE))
    found = third_octave(RATE, x, segment=SEGMENT)
    welch = _bands_of_welch(x)
    off = float(np.abs(found.rms / np.sqrt(welch) - 1.0)[found.resolved].max())
    yield at_most("noise: bands against scipy.signal.welch, relative", "-", ours=off, tolerance=1e-9)
    widths = np.diff(EDGES)
    spread = _spread(widths / BIN, found.segments)
    deviation = ((found.rms**2 / (widths * 2.0 / RATE) - 1.0) / spread)[found.resolved]
    worst, rms = float(np.abs(deviation).max()), float(np.sqrt(np.mean(deviation**2)))
    count = int(found.resolved.sum())
    yield at_most(f"noise: worst of {count} bands, in standard deviations", "-", ours=worst, tolerance=4.0)
    what = f"noise: RMS of the {count} deviations, in standard deviations"
    yield within(what, "-", published=1.0, ours=rms, tolerance=3.0 / np.sqrt(2.0 * count))


def _bands_of_welch(x: Array) -> Array:
    """Mean square of every band: the density of SciPy, held over each bin and integrated."""
    from scipy.signal import welch

    segment = round(SEGMENT * RATE)
    frequencies, density = welch(x - x.mean(), RATE, nperseg=segment, detrend=False)  # pyright: ignore[reportArgumentType]
    density[-1] *= 2.0  # the last bin is half as wide
    ends = np.clip(np.append(frequencies - 0.5 * BIN, 0.5 * RATE), 0.0, 0.5 * RATE)
    below = np.concatenate([[0.0], np.cumsum(density * np.diff(ends))])
    return np.diff(np.interp(EDGES, ends, below))


def _spread(bins: Array, segments: int) -> Array:
    """Standard deviation of a band's mean square over its mean, for white noise [-]."""
    averaged = (1.0 + 2.0 * OVERLAP * (1.0 - 1.0 / segments)) / segments
    return np.sqrt((1.0 + 2.0 * NEIGHBOURS) / bins * averaged)


def _shared_bins() -> Iterator[Comparison]:
    """A sine at 1.1 Hz in bins of 0.1 Hz: 1/6, 2/3 and 1/6 of it in three; an edge, 1.122 Hz, cuts the middle one."""
    found = third_octave(RATE, np.sqrt(2.0) * np.sin(2.0 * np.pi * 1.1 * _instants(30.0)), segment=10.0)
    below = (float(EDGES[21]) - 1.05) / 0.1
    for band, share in ((20, below), (21, 1.0 - below)):
        exact = 1.0 / 6.0 + 2.0 / 3.0 * share
        what = f"part of a sine across an edge in the band of {CENTRES[band]:.3g} Hz"
        yield within(what, "-", published=exact, ours=float(found.rms[band] ** 2), tolerance=1e-9)
    yield at_most("what the edge loses", "-", ours=abs(found.total**2 - 1.0), tolerance=1e-9)


def _bands() -> Iterator[Comparison]:
    """A band is resolved from 2 bins on: of width 0.2308 f, in bins of 0.01 Hz from 0.0867 Hz on."""
    found = third_octave(RATE, np.zeros(round(SEGMENT * RATE)), segment=SEGMENT)
    lowest = float(found.centres[found.resolved][0])
    yield within("lowest band resolved by 100 s", "Hz", published=0.1, ours=lowest, tolerance=1e-12)
    yield within("bands at 1 kHz", "-", published=46.0, ours=float(len(found.rms)), tolerance=0.0)
    slow = third_octave(500.0, np.zeros(5000))
    yield within("bands at 500 Hz: below 250 Hz", "-", published=44.0, ours=float(len(slow.rms)), tolerance=0.0)


def _limit() -> Iterator[Comparison]:
    curve = load_limit(LIMIT)
    for frequency, limit in CORNERS.items():
        ours = float(curve.at(frequency)) / MICRO_G
        yield within(f"{LIMIT} at {frequency:.4g} Hz", "ug", published=limit, ours=ours, tolerance=1e-9 * limit)
    t = _instants(20.0)
    found: ThirdOctaves = third_octave(RATE, 36.0 * np.sqrt(2.0) * MICRO_G * np.sin(2.0 * np.pi * 20.0 * t))
    ours = found.least_margin(LIMIT).db
    exact = float(20.0 * np.log10(18.0 * CENTRES[33] / 36.0))
    yield within("margin of 36 ug RMS at 20 Hz", "dB", published=exact, ours=ours, tolerance=1e-9)
