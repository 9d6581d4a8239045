"""What can be said from a number of cases, each with how sure it is: rates, quantiles, correlations, Sobol indices."""

from freefloat.campaign.statistics.quantiles import Quantile, quantile, runs_needed
from freefloat.campaign.statistics.ranks import Correlation, spearman
from freefloat.campaign.statistics.rates import RateOverRuns, rate_over_runs, wilson
from freefloat.campaign.statistics.sobol import Index, SobolIndices, sobol_indices

__all__ = [
    "Correlation",
    "Index",
    "Quantile",
    "RateOverRuns",
    "SobolIndices",
    "quantile",
    "rate_over_runs",
    "runs_needed",
    "sobol_indices",
    "spearman",
    "wilson",
]
