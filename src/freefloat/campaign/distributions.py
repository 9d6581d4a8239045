"""How a value is spread over the cases of a campaign. Each distribution is known by its quantile function `ppf`.

Numbers are in SI, or in the unit of the field that they are for. `ppf` takes shares in (0, 1), a number or an array,
and gives as many values.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_ndtr, ndtri, ndtri_exp

from freefloat.errors import InputError

MOST_VALUES = 10_000  # of a choice or a grid


class Distribution(Protocol):
    """What a variation needs."""

    def ppf(self, u: ArrayLike) -> NDArray[Any]:
        """The values below which the shares `u` of all cases lie."""
        ...


@dataclass(frozen=True)
class Uniform:
    """Every value from `low` to `high` is as likely as any other."""

    low: float
    high: float

    def __post_init__(self) -> None:
        _demand_finite("uniform", low=self.low, high=self.high)
        _demand(self.low < self.high, f"uniform: low {self.low:g}, high {self.high:g}; allowed: low < high")
        _demand(math.isfinite(self.high - self.low), "uniform: the range is too large for a float")

    def ppf(self, u: ArrayLike) -> NDArray[np.float64]:
        return _within(self.low + np.asarray(u) * (self.high - self.low), self.low, self.high)


@dataclass(frozen=True)
class Normal:
    """The normal distribution, without bounds; where a field has some, use `Truncated`."""

    mean: float
    sd: float

    def __post_init__(self) -> None:
        _demand_finite("normal", mean=self.mean, sd=self.sd)
        _demand(self.sd > 0.0, f"normal: sd {self.sd:g}; allowed: > 0")

    def ppf(self, u: ArrayLike) -> NDArray[np.float64]:
        return self.mean + self.sd * ndtri(np.asarray(u, dtype=np.float64))


@dataclass(frozen=True)
class Truncated:
    """The normal distribution of values between `low` and `high`, the others drawn again."""

    mean: float
    sd: float
    low: float
    high: float

    def __post_init__(self) -> None:
        _demand_finite("truncated", mean=self.mean, sd=self.sd, low=self.low, high=self.high)
        _demand(self.sd > 0.0, f"truncated: sd {self.sd:g}; allowed: > 0")
        _demand(self.low < self.high, f"truncated: low {self.low:g}, high {self.high:g}; allowed: low < high")
        far = max(abs(self.low - self.mean), abs(self.high - self.mean)) / self.sd
        _demand(math.isfinite(far), "truncated: a bound is too many sd from the mean for a float")

    def ppf(self, u: ArrayLike) -> NDArray[np.float64]:
        """By logarithms, in the lower tail, so that bounds many sd from the mean on one side keep their digits."""
        u = np.asarray(u, dtype=np.float64)
        low, high = (self.low - self.mean) / self.sd, (self.high - self.mean) / self.sd
        sign = -1.0 if low > 0.0 else 1.0
        if sign < 0.0:
            low, high, u = -high, -low, 1.0 - u
        with np.errstate(divide="ignore"):
            share = np.logaddexp(np.log1p(-u) + log_ndtr(low), np.log(u) + log_ndtr(high))
        z = _within(ndtri_exp(np.minimum(share, 0.0)), low, high)
        return _within(self.mean + sign * self.sd * z, self.low, self.high)


@dataclass(frozen=True)
class Loguniform:
    """The logarithm is uniform: each factor between `low` and `high` is as likely as any other."""

    low: float
    high: float

    def __post_init__(self) -> None:
        _demand_finite("loguniform", low=self.low, high=self.high)
        told = f"loguniform: low {self.low:g}, high {self.high:g}; allowed: 0 < low < high"
        _demand(0.0 < self.low < self.high, told)

    def ppf(self, u: ArrayLike) -> NDArray[np.float64]:
        low, high = math.log(self.low), math.log(self.high)
        return _within(np.exp(low + np.asarray(u) * (high - low)), self.low, self.high)


@dataclass(frozen=True)
class Choice:
    """One of the listed values, each as likely as any other; of any kind that a field takes."""

    values: tuple[Any, ...]

    def __post_init__(self) -> None:
        _demand_values("choice", self.values)

    def ppf(self, u: ArrayLike) -> NDArray[Any]:
        return _listed(self.values, u)


@dataclass(frozen=True)
class Grid:
    """The listed values in their order. With `--sampling grid` every combination is a case; else as `Choice`."""

    values: tuple[Any, ...]

    def __post_init__(self) -> None:
        _demand_values("grid", self.values)

    @classmethod
    def between(cls, low: float, high: float, count: int) -> Grid:
        """`count` values at equal distances, the ends included; whole numbers where they all are."""
        _demand_finite("grid", low=low, high=high)
        _demand(2 <= count <= MOST_VALUES, f"grid: {count} values; allowed: 2 to {MOST_VALUES}")
        _demand(low != high, f"grid: from {low:g} to {high:g}; allowed: two ends that differ")
        _demand(math.isfinite(high - low), "grid: the range is too large for a float")
        values = [float(v) for v in np.linspace(low, high, count)]
        whole = isinstance(low, int) and isinstance(high, int) and (high - low) % (count - 1) == 0
        return cls(tuple(int(v) if whole else v for v in values))

    def ppf(self, u: ArrayLike) -> NDArray[Any]:
        return _listed(self.values, u)


def _within(values: NDArray[np.float64], low: float, high: float) -> NDArray[np.float64]:
    """Where rounding has left the range, its end; for single values faster than numpy.clip."""
    return np.minimum(np.maximum(values, low), high)


def _listed(values: tuple[Any, ...], u: ArrayLike) -> NDArray[Any]:
    """The values at shares, as objects: numbers and names keep their kinds."""
    which = np.minimum((np.asarray(u, dtype=np.float64) * len(values)).astype(np.int64), len(values) - 1)
    found = np.empty(which.shape, dtype=object)
    for place, k in np.ndenumerate(which):  # one by one, so that a value may be a list
        found[place] = values[k]
    return found


def _demand_values(name: str, values: tuple[Any, ...]) -> None:
    _demand(1 <= len(values) <= MOST_VALUES, f"{name}: {len(values)} values; allowed: 1 to {MOST_VALUES}")


def _demand_finite(name: str, **numbers: float) -> None:
    for what, number in numbers.items():
        _demand(math.isfinite(number), f"{name}: {what} {number:g}; allowed: a finite number")


def _demand(fine: bool, told: str) -> None:
    if not fine:
        raise InputError(told)
