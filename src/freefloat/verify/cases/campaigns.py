"""Campaigns: distributions and correlations of their samples, Sobol indices, how often intervals hold the truth."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from freefloat.campaign.sampling import Cases, Sampling
from freefloat.campaign.statistics import sobol_indices, wilson
from freefloat.campaign.statistics.quantiles import ranks_between, runs_needed
from freefloat.campaign.variation import parse_variation
from freefloat.verify.case import Comparison, at_least, at_most, case, within

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Vector = NDArray[np.float64]
Cdf = Callable[[Vector], Vector]

POINTS = 10_000
KOLMOGOROV = 1.628  # of sqrt(n) D at the 1 % level
CORRELATED = {("a", "b"): 0.7, ("a", "c"): -0.4, ("b", "c"): 0.2}
MARGINS = ("a=normal(0, 1)", "b=loguniform(0.1, 10)", "c=truncated(0, 1, -1, 3)")
SPREAD_POINTS, SPREAD_FIELDS, SPREAD_SEEDS = 256, 5, 21
SPREAD = {"latin": 0.4, "sobol": 0.08}  # centred discrepancy over the median of random points, at most


@case("sampling", source="cumulative distributions of SciPy; Kruskal 1958; discrepancies: medians of a prototype")
def sampling() -> Iterator[Comparison]:
    """Samples of campaigns: Kolmogorov-Smirnov of each distribution, correlations of a copula, discrepancy."""
    for k, (text, cdf) in enumerate(_distributions().items()):
        values = np.sort(_columns(Cases((parse_variation(f"x{k}={text}"),), "random", 1, POINTS))[0])
        what = f"{text}: Kolmogorov-Smirnov distance of {POINTS} points, 1 % level"
        yield at_most(what, "-", ours=_distance(values, cdf), tolerance=KOLMOGOROV / math.sqrt(POINTS))
    yield from _correlations()
    yield from _discrepancies()


def _distributions() -> Mapping[str, Cdf]:
    from scipy import stats

    return {
        "uniform(-1, 3)": stats.uniform(-1.0, 4.0).cdf,
        "normal(2, 0.5)": stats.norm(2.0, 0.5).cdf,
        "truncated(0, 1, -0.5, 2)": stats.truncnorm(-0.5, 2.0).cdf,
        "loguniform(0.01, 100)": stats.loguniform(0.01, 100.0).cdf,
        "choice(1, 2, 5, 7)": lambda x: np.searchsorted([1.0, 2.0, 5.0, 7.0], x, side="right") / 4.0,
        "grid(0 to 9, 10)": lambda x: (np.floor(x) + 1.0) / 10.0,
    }


def _distance(ordered: Vector, cdf: Cdf) -> float:
    """Largest difference of the sample's cumulative distribution, before and behind each of its steps."""
    values, counts = np.unique(ordered, return_counts=True)
    behind = np.cumsum(counts) / len(ordered)
    before = np.concatenate([[0.0], behind[:-1]])
    just_below = cdf(np.nextafter(values, -np.inf))
    return float(max(np.abs(cdf(values) - behind).max(), np.abs(just_below - before).max()))


def _columns(cases: Cases) -> Vector:
    """The values of all cases, a row for each field."""
    return np.array([list(cases.values(n).values()) for n in range(len(cases))], dtype=np.float64).T


def _correlations() -> Iterator[Comparison]:
    """Between ranks, where a copula with r has 6 / pi asin(r / 2) whatever the margins are."""
    from scipy.stats import spearmanr

    margins = tuple(map(parse_variation, MARGINS))
    for kind in ("random", "latin", "sobol"):
        cases = Cases(margins, kind, 3, POINTS, CORRELATED)
        columns = dict(zip(cases.paths, _columns(cases), strict=True))
        errors = []
        for (one, other), r in CORRELATED.items():
            expected = 6.0 / math.pi * math.asin(0.5 * r)
            errors.append(abs(float(spearmanr(columns[one], columns[other])[0]) - expected))  # pyright: ignore
        yield at_most(f"{kind}: rank correlations of 3 fields, worst error", "-", ours=max(errors), tolerance=0.02)


def _discrepancies() -> Iterator[Comparison]:
    from scipy.stats import qmc

    fields = tuple(parse_variation(f"x{k}=uniform(0, 1)") for k in range(SPREAD_FIELDS))

    def median(kind: Sampling) -> float:
        found = []
        for seed in range(SPREAD_SEEDS):
            found.append(qmc.discrepancy(_columns(Cases(fields, kind, seed, SPREAD_POINTS)).T))
        return float(np.median(found))

    base = median("random")
    published = {"latin": 0.26, "sobol": 0.04}
    for kind in ("latin", "sobol"):
        what = f"{kind}: centred discrepancy of {SPREAD_POINTS} points in {SPREAD_FIELDS} dimensions over random"
        above = SPREAD[kind] - published[kind]
        yield at_most(what, "-", published=published[kind], ours=median(kind) / base, tolerance=above)


ISHIGAMI_A, ISHIGAMI_B, BASE_POINTS, INDEX_SEEDS = 7.0, 0.1, 4096, 20


@case("sobol-indices", source="closed form of Ishigami and Homma 1990 (a = 7, b = 0.1)")
def sobol() -> Iterator[Comparison]:
    """Sobol indices of the Ishigami function from 4096 base points: first and total, and 20 seeds."""
    exact = _ishigami_indices()
    worst: list[float] = []
    inside: list[bool] = []
    for seed in range(INDEX_SEEDS):
        found = _estimated(seed)
        worst.append(max(abs(value - exact[name]) for name, (value, _, _) in found.items()))
        inside += [low <= exact[name] <= high for name, (_, low, high) in found.items()]
        if seed == 0:
            for name, (value, _, _) in found.items():
                yield within(f"{name} index, seed 0", "-", published=exact[name], ours=value, tolerance=0.01)

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        axes.plot(range(INDEX_SEEDS), worst, "o")
        axes.axhline(0.01, color="tab:red", linestyle="--", label="tolerance")
        axes.set(xlabel="campaign seed", ylabel="worst error of six indices", title=f"{BASE_POINTS} base points")
        axes.legend()

    yield at_most("worst error of any index in 20 seeds", "-", ours=max(worst), tolerance=0.01, plot=draw)
    share = float(np.mean(inside))
    yield at_least("intervals of 95 % that hold the closed form", "-", published=0.95, ours=share, tolerance=0.0)


def _ishigami_indices() -> dict[str, float]:
    first = 0.5 * (1.0 + ISHIGAMI_B * math.pi**4 / 5.0) ** 2
    second = ISHIGAMI_A**2 / 8.0
    both = ISHIGAMI_B**2 * math.pi**8 * (1.0 / 18.0 - 1.0 / 50.0)
    whole = first + second + both
    shares = {"first x": first, "first y": second, "first z": 0.0}
    shares |= {"total x": first + both, "total y": second, "total z": both}
    return {name: share / whole for name, share in shares.items()}


def _estimated(seed: int) -> dict[str, tuple[float, float, float]]:
    fields = tuple(parse_variation(f"{name}=uniform(-180 deg, 180 deg)") for name in "xyz")
    cases = Cases(fields, "sensitivity", seed, BASE_POINTS)
    x, y, z = _columns(cases)
    f = np.sin(x) + ISHIGAMI_A * np.sin(y) ** 2 + ISHIGAMI_B * z**4 * np.sin(x)
    found = sobol_indices(f, "xyz")
    assert found is not None
    kinds = {"first": found.first, "total": found.total}
    return {f"{k} {name}": (i.value, i.low, i.high) for k, of in kinds.items() for name, i in of.items()}


RATES = np.concatenate([np.arange(0.5, 0.99, 0.01), [0.99]])
RUNS = (30, 100, 1000)
QUANTILES = (0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99)


@case("intervals", source="sums of the binomial distribution; Wilks 1941")
def intervals() -> Iterator[Comparison]:
    """How often intervals of rates and quantiles hold the truth, by exact binomial sums."""
    for n in RUNS:
        ends = np.array([wilson(k, n)[1:] for k in range(n + 1)])
        coverage = [_wilson_coverage(n, float(p), ends) for p in RATES]
        what = f"Wilson 95 %, {n} runs, rates 0.5 to 0.99"
        yield at_least(f"{what}: least coverage", "-", published=0.92, ours=min(coverage), tolerance=0.0)
        yield at_most(f"{what}: largest coverage", "-", published=0.98, ours=max(coverage), tolerance=0.0)
    for k, n, low in ((100, 100, 0.963), (1000, 1000, 0.996)):
        what = f"{k} of {n} successes: the interval begins at"
        yield within(what, "-", published=low, ours=wilson(k, n)[1], tolerance=5e-4)
    for p in QUANTILES:
        counts = [n for n in (*range(runs_needed(p), runs_needed(p) + 40), *RUNS, 3000) if n >= runs_needed(p)]
        least = min(_quantile_coverage(n, p) for n in counts)
        what = f"interval of the {p:g} quantile, {len(counts)} numbers of runs: least coverage"
        yield at_least(what, "-", published=0.95, ours=least, tolerance=0.0)
    what = "runs for an interval of the 0.95 quantile"
    yield within(what, "-", published=59.0, ours=float(runs_needed(0.95)), tolerance=0.0)


def _wilson_coverage(n: int, p: float, ends: Vector) -> float:
    """The probability of all counts k whose interval, of which `ends` has a row for each, holds p."""
    from scipy.stats import binom

    holds = (ends[:, 0] <= p) & (p <= ends[:, 1])
    return math.fsum(binom.pmf(np.arange(n + 1), n, p)[holds])


def _quantile_coverage(n: int, p: float) -> float:
    """The probability that the quantile lies between the two order statistics, summed term by term."""
    from scipy.stats import binom

    ranks = ranks_between(n, p)
    if ranks is None:
        return 0.0
    return math.fsum(binom.pmf(np.arange(ranks[0], ranks[1]), n, p))
