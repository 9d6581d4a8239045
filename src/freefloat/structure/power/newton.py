"""Node voltages of a DC network by a damped Newton method that follows the voltages down from no load.

Unknown is d = V - E_ref, with E_ref the highest voltage of a group's sources, so that currents in lines of small
resistance are not lost in rounding. Constant-power loads have a second, unstable solution at low voltage, and none at
overload; limits add kinks, and with them more solutions. The one that a network reaches from above is the highest: at
d = 0 more current is drawn than fed at every node, and the flow V' = -(missing current) falls from there onto it (it is
cooperative: more voltage at one node never means less at another). Newton steps are taken where the Jacobian is an
M-matrix (J x = 1 has x > 0), which is where that flow is stable; elsewhere steps without the negative slopes of loads,
which go down. A group whose voltage reaches the floor has collapsed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from freefloat.frames import Array
from freefloat.structure.node_arrays import Flags, Integers, sum_at
from freefloat.structure.power.matrix import NodeMatrix
from freefloat.structure.power.network import Elements

TIGHT = 1e-13  # [-] of the largest current of a group: iteration stops
ENOUGH = 3e-11  # [-] accepted where rounding stops it earlier
SMALLEST_CURRENT = 1e-3  # [A] groups with less are judged against it
ITERATIONS = 200  # and one for each element
MANY = 16  # elements of a group
LARGEST_FALL = 0.05  # [-] of the reference, in a step without Newton
FLOOR = 0.01  # [-] of the reference: below, the voltage has collapsed
OVERSHOOT = 0.1  # [-] of the missing current
GROWTH = 1.5  # [-] of the largest missing current, in a step
HALVINGS = 24  # of a step, at most
LANDING = 1e-13  # [-] of the reference, by which a step goes past an element's switch-on


@dataclass(frozen=True, eq=False)
class Groups:
    """Live nodes only: k of them in g connected groups, with local numbers."""

    laplacian: csr_array  # (k, k) [S]
    load: Array  # [W] (k,)
    group: Integers  # (k,)
    reference: Array  # [V] (g,)
    elements: Elements  # with local node numbers

    @property
    def count(self) -> int:
        return len(self.reference)

    def currents(self, d: Array) -> tuple[Array, Array]:
        """Current out of every element [A] at its node's d, and -dI/dV [S]."""
        e = self.elements
        E_ref = self.reference[self.group[e.node]]
        V = E_ref + d[e.node]
        free = ((e.emf - E_ref) - d[e.node]) / e.resistance
        high, low = np.minimum(e.out_current, e.out_power / V), -np.minimum(e.in_current, e.in_power / V)
        current = np.clip(free, low, high)
        above, below = free > high, free < low
        slope = np.where(above | below, 0.0, 1.0 / e.resistance)
        slope = np.where(above & (e.out_power / V < e.out_current), e.out_power / V**2, slope)
        return current, np.where(below & (e.in_power / V < e.in_current), -e.in_power / V**2, slope)

    @cached_property
    def switch_on(self) -> Array:
        """d of each element above which it takes all that it may: there (V - E) / r is its limit."""
        e = self.elements
        by_current = e.resistance * e.in_current
        root = np.sqrt(e.emf**2 + 4.0 * e.resistance * e.in_power)
        by_power = 2.0 * e.resistance * e.in_power / (root + e.emf)
        by_power = np.where(np.isinf(e.in_power), np.inf, by_power)
        return (e.emf - self.reference[self.group[e.node]]) + np.minimum(by_current, by_power)

    def least(self, d: Array) -> Array:
        """Lowest voltage of each group relative to its reference (g,)."""
        lowest = np.full(self.count, np.inf)
        np.minimum.at(lowest, self.group, d)
        return 1.0 + lowest / self.reference

    def residual(self, d: Array) -> tuple[Array, Array, Array]:
        """Current missing at each node [A], the diagonal of the Jacobian beside the lines [S], largest current [A]."""
        V = self.reference[self.group] + d
        drawn = self.load / V
        current, slope = self.currents(d)
        k = len(d)
        fed = np.bincount(self.elements.node, current, k)
        diagonal = np.bincount(self.elements.node, slope, k) - drawn / V
        scale = np.full(self.count, SMALLEST_CURRENT)
        np.maximum.at(scale, self.group, drawn)
        np.maximum.at(scale, self.group[self.elements.node], np.abs(current))
        return self.laplacian @ d + drawn - fed, diagonal, scale

    def error(self, F: Array, scale: Array) -> Array:
        """Largest residual of each group relative to its largest current (g,)."""
        worst = np.zeros(self.count)
        np.maximum.at(worst, self.group, np.abs(F))
        return worst / scale


def solve_voltages(groups: Groups) -> tuple[Array, Flags]:
    """d (k,), and which groups (g,) have a stable solution; start with every node at its group's highest voltage.

    Groups of many elements first try steps over several switch-ons at once.
    """
    open_ = ~_hopeless(groups)
    number = np.bincount(groups.group[groups.elements.node], minlength=groups.count)
    d, found = _descend(groups, open_, number <= MANY)
    again = open_ & ~found & (number > MANY)
    if again.any():
        careful, held = _descend(groups, again, np.ones(groups.count, dtype=np.bool_))
        d, found = np.where(again[groups.group], careful, d), found | held
    return d, found


def _descend(groups: Groups, going: Flags, careful: Flags) -> tuple[Array, Flags]:
    """Follow the voltages of the groups that are `going` down to their solution; careful ones stop at switch-ons."""
    d = best_d = np.zeros(len(groups.load))
    asked, best = going, np.full(groups.count, np.inf)
    for _ in range(ITERATIONS + len(groups.elements.node)):
        F, diagonal, scale = groups.residual(d)
        error = groups.error(F, scale)
        better = error < best
        best_d = np.where(better[groups.group], d, best_d)
        going = going & (error > TIGHT) & (better | (best > ENOUGH)) & (groups.least(d) > 1.001 * FLOOR)
        best = np.minimum(best, error)
        if not going.any():
            break
        change, newton = _direction(groups, F, diagonal)
        change = np.where(going[groups.group], change, 0.0)
        far, near = _lengths(groups, d, change, newton)
        length = _without_overshoot(groups, d, change, np.where(careful, near, far), near, F)
        d = d + length[groups.group] * change
    return best_d, asked & (best <= ENOUGH) & _stable(groups, best_d)


def _direction(groups: Groups, F: Array, diagonal: Array) -> tuple[Array, Flags]:
    """Step of every node, and which groups take Newton's; the others have no negative slopes in it."""
    jacobian = NodeMatrix(groups.laplacian, diagonal, groups.group, groups.count)
    newton = jacobian.is_m_matrix()
    if not newton.all():
        slopes = np.where(newton[groups.group], diagonal, np.maximum(diagonal, 0.0))
        jacobian = NodeMatrix(groups.laplacian, slopes, groups.group, groups.count)
    return jacobian.solve(-F), newton


def _stable(groups: Groups, d: Array) -> Flags:
    """Groups (g,) on a stable branch."""
    return NodeMatrix(groups.laplacian, groups.residual(d)[1], groups.group, groups.count).is_m_matrix()


def _hopeless(groups: Groups) -> Flags:
    """Groups whose loads exceed what their elements can give at any voltage."""
    e = groups.elements
    given = sum_at(groups.count, groups.group[e.node], np.where(e.gives, e.most_power(), 0.0))
    return sum_at(groups.count, groups.group, groups.load) > given


def _lengths(groups: Groups, d: Array, change: Array, newton: Flags) -> tuple[Array, Array]:
    """Shares (g,) of the change: as far as the floor or the largest fall, and as far as the next switch-on."""
    e, g = groups.elements, groups.group
    fall = np.zeros(groups.count)
    np.maximum.at(fall, g, np.abs(change))
    length = np.where(newton, 1.0, np.minimum(1.0, LARGEST_FALL * groups.reference / np.maximum(fall, 1e-300)))
    with np.errstate(divide="ignore", invalid="ignore"):
        room = (groups.reference[g] * (1.0 - FLOOR) + d) / -change
        np.minimum.at(length, g, np.where((change < 0.0) & (room < 1.0), 0.9 * room, 1.0))
        above = d[e.node] - groups.switch_on
        ahead = (above + LANDING * groups.reference[g[e.node]]) / -change[e.node]
    waiting = (above > 0.0) & (change[e.node] < 0.0)
    near = length.copy()
    np.minimum.at(near, g[e.node], np.where(waiting, ahead, 1.0))
    return length, near


def _without_overshoot(groups: Groups, d: Array, change: Array, length: Array, near: Array, F: Array) -> Array:
    """Halve the step of groups that would be fed too much by more than a share of what is missing now.

    The slope rises where an element starts to give, or stops to take all it may, and falls as a source leaves its power
    limit; a step across the highest root would miss it. The way to the next switch-on is one of the lengths tried.
    """
    missing, allowed = np.zeros(groups.count), np.zeros(groups.count)
    np.maximum.at(missing, groups.group, np.abs(F))
    np.maximum.at(allowed, groups.group, -F)
    allowed = np.maximum(allowed, OVERSHOOT * missing)
    for _ in range(HALVINGS):
        new = groups.residual(d + length[groups.group] * change)[0]
        excess, largest = np.zeros(groups.count), np.zeros(groups.count)
        np.maximum.at(excess, groups.group, -new)
        np.maximum.at(largest, groups.group, np.abs(new))
        too_far = (excess > allowed) | (largest > GROWTH * missing)
        if not too_far.any():
            break
        half = np.where((length > near) & (0.5 * length < near), near, 0.5 * length)
        length = np.where(too_far, half, length)
    return length
