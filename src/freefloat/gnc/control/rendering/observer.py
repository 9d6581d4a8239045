"""Rendering with known shapes: the satellites meet the surface where the robots' contact says it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from freefloat.gnc.control.rendering.belief import SurfaceBelief
from freefloat.gnc.control.rendering.cycle import Orders, Sensed
from freefloat.gnc.control.rendering.redo import Redo
from freefloat.gnc.control.rendering.shapes import Tools
from freefloat.gnc.control.rendering.touch import Touch

NEWS = 1e-8  # [m] change of the offset that is worth a redo


@dataclass
class Observer:
    """The surface of the satellites' world is the known shape, displaced by the offset that the contacts have told.

    Sec. IV-C of Lange, Grunwald and Albu-Schaeffer 2016 leaves the observer open; here it is `SurfaceBelief`. The
    satellites' force follows from their own positions at every instant, so that nothing is held but the offset.
    """

    tools: Tools
    belief: SurfaceBelief
    touch: Touch
    redo: Redo
    margin: float = 5e-4  # [m] penetration without force that means that the surface lies farther away

    def update(self, s: Sensed) -> Orders:
        """Learn from the robots, place the satellites' surface."""
        before = self.belief.offset
        p_CT = self.tools.tip_in_client(s.X_1, s.X_2)
        gap, normal_C = self.tools.meet(p_CT, before)
        normal_W = s.X_2.R @ normal_C
        force, arms = float(normal_W @ s.force), float(normal_W @ s.compliance @ normal_W)
        near = self.belief.may_touch(gap, normal_C)
        touching = self.touch.update(s.t, s.sure_force(normal_W) if near else 0.0)
        if touching:
            self.belief.learn(gap, normal_C, force, arms, s.doubt(normal_W))
        elif self.redo.whole and gap < -self.margin - self.belief.compliance(arms) * self.touch.onset_force:
            self.belief.push_away(gap, normal_C)
        offset = self.belief.offset
        tip = self.tools.tip_in_client(s.servicer.X_W, s.client.X_W)
        news = float(np.abs(offset - before).max()) > NEWS
        inside = self.tools.meet(tip, before)[0] <= 0.0
        since = self.redo.update(s.t, tip, inside, touching, news, lambda tips: self.tools.gaps(tips, offset))
        return Orders(self.tools.displaced(offset), since=since)
