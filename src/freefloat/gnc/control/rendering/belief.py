"""What a contact tells of the tools: where the surface really is, and how soft contact and arms are."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from freefloat.errors import InputError
from freefloat.frames import Array

SURE = 4.0  # standard deviations


@dataclass(frozen=True)
class Prior:
    """What is known before the first touch, as standard deviations."""

    offset: float = 2e-3  # [m] of the surface, along each axis of the client
    tools: float = 0.15  # [-] of the tools' compliance, relative
    arms: float = 0.15  # [-] of the arms' compliance, relative
    position: float = 3e-5  # [m] of the penetration by motor angles: what the arms' dynamics leave
    force: float = 1.0  # [N] of the measured force

    def __post_init__(self) -> None:
        for name in ("offset", "tools", "arms", "position", "force"):
            if not 0.0 < getattr(self, name) < np.inf:
                raise InputError(f"prior of {name}: {getattr(self, name)!r}; allowed: above 0")


@dataclass
class SurfaceBelief:
    """Least squares with priors, one sample at a time (a Kalman filter without dynamics).

    State [o (3), a, b]: the surface is displaced by o [m] in the client's frame, the tools' compliance is (1+a) / K_e,
    the arms' (1 + b) n^T C n. With the gap g by motor angles and the known shapes, and the force f along the normal n,
        -g = f (1 + a) / K_e + f (1 + b) n^T C n - n^T o,
    Lange, Grunwald and Albu-Schaeffer 2016, eqs 25, 26 and sec. IV-B, -C with unknown numbers.
    """

    stiffness: float  # [N/m] K_e of both tools in series, as assumed
    prior: Prior = field(default_factory=Prior)

    def __post_init__(self) -> None:
        p = self.prior
        self.mean = np.zeros(5)
        self.covariance = np.diag([p.offset**2] * 3 + [p.tools**2, p.arms**2])

    @property
    def offset(self) -> Array:
        """o (3,) [m] in the client's frame."""
        return self.mean[:3].copy()

    def compliance(self, arms: float) -> float:
        """Of tools and arms together [m/N]; `arms` is n^T C n as assumed."""
        return float((1.0 + self.mean[3]) / self.stiffness + (1.0 + self.mean[4]) * arms)

    def may_touch(self, gap: float, normal_C: Array) -> bool:
        """Whether a gap [m] to the surface as believed could in truth be none."""
        P = self.covariance[:3, :3]
        return gap < SURE * (float(np.sqrt(normal_C @ P @ normal_C)) + self.prior.position)

    def learn(self, gap: float, normal_C: Array, force: float, arms: float, doubt: float = 0.0) -> None:
        """One cycle of a contact; `gap` [m] is that to the surface displaced as believed, `force` [N] along n, `doubt`
        [N] by how much the two wrists differ. What does not fit at all is left out: arms that swing also press."""
        soft = 1.0 / self.stiffness
        H = np.concatenate([-normal_C, [force * soft, force * arms]])
        compliance, news = self.compliance(arms), -gap - force * self.compliance(arms)
        variance = self.prior.position**2 + compliance**2 * (self.prior.force**2 + doubt**2)
        PH = self.covariance @ H
        total = float(H @ PH) + variance
        if abs(news) > SURE * np.sqrt(total):
            return
        gain = PH / total
        self.mean = self.mean + gain * news
        P = self.covariance - np.outer(gain, PH)
        self.covariance = 0.5 * (P + P.T)

    def push_away(self, gap: float, normal_C: Array) -> None:
        """No force although the surface is thought to be -gap deep in: it lies at least so much farther away.

        That is a bound and no measurement, so that the spread stays as it is.
        """
        H = np.concatenate([-normal_C, [0.0, 0.0]])
        PH = self.covariance @ H
        self.mean = self.mean - gap * PH / float(H @ PH)
