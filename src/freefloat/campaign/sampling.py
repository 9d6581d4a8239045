"""The cases of a campaign: which values its varied fields have in case n, and with which seed it runs.

| sampling      | cases               | case n, when `runs` is raised |
| ---           | ---                 | ---                           |
| `random`      | `runs`              | the same                      |
| `sobol`       | `runs`              | the same                      |
| `latin`       | `runs`              | another: no prefix            |
| `grid`        | every combination   | cannot be raised              |
| `sensitivity` | `runs` x (d + 2)    | the same                      |

Values and seed of a case come from (campaign seed, n), so that it does not matter who runs it and when. With `random`
a field's values come also from its path: varying one more field leaves those of the others as they were.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from freefloat.campaign.copula import Correlations, cholesky_of, correlated, reordered
from freefloat.campaign.distributions import Choice, Grid
from freefloat.campaign.sobol_points import sobol_points
from freefloat.campaign.variation import Variation
from freefloat.engine.randomness import stream
from freefloat.errors import InputError, unknown_name

Array = NDArray[np.float64]
Sampling = Literal["random", "latin", "sobol", "grid", "sensitivity"]

MOST_CASES = 10_000_000
MOST_SEED = 2**32  # of a scenario


@dataclass(frozen=True)
class Cases:
    """All cases of a campaign, numbered from 0.

    `runs` is how many there are; with `sensitivity` how many base points, each of which makes d + 2 cases; with `grid`
    it may be None. `one_seed`: all cases run with the same seed; by default only those of `sensitivity`, where noise
    would count as one more input.
    """

    variations: tuple[Variation, ...]
    sampling: Sampling = "random"
    seed: int = 0
    runs: int | None = 100
    correlations: Correlations = field(default_factory=dict)
    one_seed: bool | None = None
    _shares: Array = field(init=False, repr=False, compare=False)  # (cases, fields)

    def __post_init__(self) -> None:
        object.__setattr__(self, "variations", tuple(self.variations))
        self._check()
        factor = cholesky_of(self.correlations, self.paths)
        shares = _shares_of(self, factor) if self.variations else np.zeros((self._count(), 0))
        object.__setattr__(self, "_shares", shares)

    @property
    def paths(self) -> tuple[str, ...]:
        """The varied fields, in the order in which they were given."""
        return tuple(variation.path for variation in self.variations)

    @property
    def extendable(self) -> bool:
        """Whether `runs` may be raised later and the cases so far stay as they are."""
        return self.sampling in ("random", "sobol", "sensitivity")

    @property
    def same_seed(self) -> bool:
        """Whether all cases run with one seed."""
        return self.sampling == "sensitivity" if self.one_seed is None else self.one_seed

    def __len__(self) -> int:
        return len(self._shares)

    def values(self, n: int) -> dict[str, Any]:
        """The values of case n by path, as overrides take them; the same bits however many cases there are."""
        self._demand_case(n)
        shares = zip(self.variations, self._shares[n], strict=True)
        return {variation.path: variation.distribution.ppf(share).item() for variation, share in shares}

    def seed_of(self, n: int) -> int:
        """The seed with which case n runs."""
        self._demand_case(n)
        key = hashlib.sha256(f"campaign {self.seed} case {0 if self.same_seed else n}".encode()).digest()
        return int.from_bytes(key[:4], "little") % MOST_SEED

    def _demand_case(self, n: int) -> None:
        if not 0 <= n < len(self):
            raise InputError(f"case {n}: there is none; allowed: 0 to {len(self) - 1}")

    def _count(self) -> int:
        """How many cases there are."""
        if self.sampling == "grid":
            return math.prod(len(_listed(variation)) for variation in self.variations)
        assert self.runs is not None
        return self.runs * (len(self.variations) + 2 if self.sampling == "sensitivity" else 1)

    def _check(self) -> None:
        if self.sampling not in get_args(Sampling):
            raise unknown_name("sampling", str(self.sampling), get_args(Sampling))
        if not _whole(self.seed) or not 0 <= self.seed < MOST_SEED:
            raise InputError(f"seed {self.seed!r}; allowed: a whole number from 0 to {MOST_SEED - 1}")
        _check_paths(self.paths)
        if self.sampling == "grid":
            self._check_grid()
        elif self.runs is None or not _whole(self.runs) or self.runs < 1:
            raise InputError(f"runs {self.runs!r}; allowed: a whole number from 1 on")
        if self.sampling in ("latin", "sobol", "sensitivity") and not self.variations:
            raise InputError(f"sampling {self.sampling}: no field is varied; allowed: at least one --vary")
        if self.sampling in ("grid", "sensitivity") and self.correlations:
            reason = "has every combination" if self.sampling == "grid" else "needs inputs that are independent"
            raise InputError(f"sampling {self.sampling} {reason}; allowed: correlations with random, latin and sobol")
        if self._count() > MOST_CASES:
            raise InputError(f"{self._count()} cases; allowed: {MOST_CASES}")

    def _check_grid(self) -> None:
        if not self.variations:
            raise InputError("sampling grid: no field is varied; allowed: at least one --vary")
        for variation in self.variations:
            if not _listed(variation):
                told = "has no listed values; allowed with sampling grid: grid(...) or choice(...)"
                raise InputError(f"{variation.label}: {told}")
        if self.runs is not None and self.runs != self._count():
            told = f"runs {self.runs!r}: the grid has {self._count()} combinations"
            raise InputError(f"{told}; allowed: {self._count()}, or none given")


def _check_paths(paths: Sequence[str]) -> None:
    """No field is varied twice, nor a field inside another that is varied."""
    for k, path in enumerate(paths):
        if path == "seed":
            raise InputError("--vary seed: every case has a seed of its own; allowed: other fields")
        for other in paths[:k]:
            if path == other:
                raise InputError(f"--vary {path}: varied twice; allowed: once")
            if path.startswith(f"{other}.") or other.startswith(f"{path}."):
                raise InputError(f"--vary {path}: one of {path} and {other} lies in the other; allowed: one of them")


def _listed(variation: Variation) -> tuple[Any, ...]:
    distribution = variation.distribution
    return distribution.values if isinstance(distribution, (Choice, Grid)) else ()


def _shares_of(cases: Cases, factor: Array | None) -> Array:
    """Shares (cases, fields) in (0, 1)."""
    if cases.sampling == "grid":
        return _combinations([len(_listed(variation)) for variation in cases.variations])
    assert cases.runs is not None
    fields = len(cases.variations)
    if cases.sampling == "random":
        columns = [stream(cases.seed, f"campaign {path}").random(cases.runs) for path in cases.paths]
        return correlated(_inside(np.stack(columns, axis=1)), factor)
    if cases.sampling == "sobol":
        return correlated(sobol_points(fields, cases.runs, cases.seed), factor)
    if cases.sampling == "latin":
        return reordered(_latin(fields, cases.runs, cases.seed), factor)
    return _saltelli(sobol_points(2 * fields, cases.runs, cases.seed))


def _latin(fields: int, count: int, seed: int) -> Array:
    from scipy.stats import qmc

    return _inside(qmc.LatinHypercube(fields, rng=stream(seed, f"campaign latin {count}")).random(count))


def _saltelli(points: Array) -> Array:
    """Of each point (a, b): a, then a with one field of b for each field, then b (Saltelli 2010).

    a and b take turns in the coordinates, so that both have of the first ones, which are spread best.
    """
    a, b = points[:, 0::2], points[:, 1::2]
    count, fields = a.shape
    cases = np.repeat(a[:, None, :], fields + 2, axis=1)
    for k in range(fields):
        cases[:, 1 + k, k] = b[:, k]
    cases[:, -1, :] = b
    return cases.reshape(count * (fields + 2), fields)


def _combinations(counts: Sequence[int]) -> Array:
    """Shares in the middle of the steps of every combination; the last field changes fastest."""
    middles = [(np.arange(count) + 0.5) / count for count in counts]
    return np.stack([column.ravel() for column in np.meshgrid(*middles, indexing="ij")], axis=1)


def _inside(u: Array) -> Array:
    """Without 0 and 1, where normal scores are infinite."""
    return np.clip(u, 2.0**-54, 1.0 - 2.0**-53)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
