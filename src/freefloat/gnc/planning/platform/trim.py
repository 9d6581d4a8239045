"""A little more thrust that brings a plan's true end to the goal, where coarse knots let it miss.

Pairs of thrusters that push alike are opened together, so turn and wheel stay as they are; the end then depends on the
thrust in a straight line, and one step is exact. Flat floor only.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls

from freefloat.frames import Array
from freefloat.gnc.planning.platform.check import gauss, true_motion
from freefloat.gnc.planning.platform.model import THETA, PlatformModel


def trimmed(model: PlatformModel, times: Array, controls: Array, start: Array, goal: Array, upper: Array) -> Array:
    """Controls (N, 1 + n) whose true motion ends in the goal, as far as the upper bounds (1 + n,) allow.

    Thrust is added at two knots, those with the most thrust in each half of the plan: two changes of velocity at
    different times reach every position and velocity.
    """
    truth = true_motion(model, times, controls, start, None)
    thrust, half = controls[:, 1:].sum(axis=1), len(times) // 2
    knots = [int(thrust[:half].argmax()), half + int(thrust[half:].argmax())]
    pairs = _pairs(model)
    effect = (_effects(model, times, truth[:, 1:-1, THETA])[:, knots] @ pairs).reshape(4, -1)
    size = np.abs(effect).max(axis=1, initial=1e-300)
    wanted = (goal - truth[-1, -1])[[0, 1, 3, 4]]
    more = nnls(effect / size[:, None], wanted / size)[0]
    changed = controls.copy()
    changed[knots, 1:] += more.reshape(2, -1) @ pairs.T
    return np.minimum(changed, upper)


def _pairs(model: PlatformModel) -> Array:
    """(n, pairs) with 1 for both of two thrusters that push alike and turn the body against each other."""
    d, torque = model.thrusters[:2], model.thrusters[2]
    n = len(torque)
    alike = np.abs(d[:, :, None] - d[:, None, :]).max(axis=0) < 1e-9
    found = [(i, j) for i in range(n) for j in range(i) if alike[i, j] and abs(torque[i] + torque[j]) < 1e-9]
    pairs = np.zeros((n, len(found)))
    for column, pair in enumerate(found):
        pairs[list(pair), column] = 1.0
    return pairs


def _effects(model: PlatformModel, times: Array, angles: Array) -> Array:
    """(4, N, n) of x, y, x' and y' at the end per newton at each knot and thruster."""
    h, (places, _, weights) = np.diff(times), gauss(angles.shape[1])
    left = times[-1] - (times[:-1, None] + h[:, None] * places[1:-1])  # [s] to the end
    c, s = np.cos(angles)[..., None], np.sin(angles)[..., None]
    dx, dy = model.thrusters[:2] / model.mass
    ax, ay = c * dx - s * dy, s * dx + c * dy
    rates = np.stack([left[..., None] * ax, left[..., None] * ay, ax, ay])  # (4, K, m, n)
    effect = np.zeros((4, len(times), dx.size))
    for first, share in ((0, 1.0 - places[1:-1]), (1, places[1:-1])):
        effect[:, first : len(times) - 1 + first] += np.einsum("k,m,akmn->akn", h, weights * share, rates)
    return effect
