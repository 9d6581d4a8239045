"""Bounds on how far parts of a limb move."""

from __future__ import annotations

import numpy as np

from freefloat.gnc.planning.arm.limb_clearance_step import placed_solids
from freefloat.gnc.planning.arm.limb_travel_step import travels
from freefloat.verify.limb_rig import motions, slab

BODY = motions(slab()[0]).ground.body
BASE = np.vstack([np.eye(3), np.zeros(3)])


def test_nothing_moves_farther_than_its_bound() -> None:
    rng, out = np.random.default_rng(0), np.empty(9)
    for turn_by in (0.002, 0.02, 0.05, 0.3):
        for _ in range(60):
            q = rng.uniform(BODY.lower, BODY.upper)
            turn = rng.uniform(0.0, turn_by, 7)
            travels(BODY.links, BASE, BODY.far, BODY.balls, q, turn, np.empty((8, 3, 3)), np.empty((8, 3)), out)
            a = placed_solids(BODY, BASE, q)
            b = placed_solids(BODY, BASE, q + turn * rng.choice([-1.0, 1.0], 7))
            for end in (-1.0, 1.0):
                tips = [s[:, 1:4] + end * s[:, 14:15] * s[:, 10:13] for s in (a, b)]
                moved = np.linalg.norm(tips[1] - tips[0], axis=1)
                assert (moved <= out[BODY.segment] + 1e-12).all()
