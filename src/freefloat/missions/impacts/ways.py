"""The way to render that a scenario asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from freefloat.errors import about
from freefloat.gnc.control.loop_delay import damping_for_delay
from freefloat.gnc.control.rendering.belief import SurfaceBelief
from freefloat.gnc.control.rendering.controller import Way
from freefloat.gnc.control.rendering.force import Hybrid, Naive, Passivity
from freefloat.gnc.control.rendering.observer import Observer
from freefloat.gnc.control.rendering.paper import Paper
from freefloat.gnc.control.rendering.redo import Redo
from freefloat.gnc.control.rendering.shapes import Tools
from freefloat.gnc.control.rendering.touch import Touch

if TYPE_CHECKING:
    from freefloat.missions.impacts.impact import Impact

ONSET, END = 5.0, 3.0  # [N] of measured force: five and three times the noise of a typical wrist


def make_way(scenario: Impact, tools: Tools, horizon: float) -> Way:
    """With what the facility assumes."""
    touch, redo = Touch(ONSET, END), Redo(scenario.recomputation, horizon)
    stiff, place = scenario.tools_used(), tools.surface.X_CS
    match scenario.rendering:
        case "observer":
            return Observer(tools, SurfaceBelief(stiff.assumed), touch, redo)
        case "paper":
            return Paper(tools, stiff.assumed, touch, redo)
        case "naive":
            return Naive(place, touch)
        case "passivity":
            bodies = scenario.servicer.model(), scenario.client.model()
            return Passivity(place, touch, bodies, scenario.robots.cycle)
        case "hybrid":
            m1, m2 = scenario.servicer.mass, scenario.client.mass
            late = scenario.robots.delay + 0.5 * scenario.robots.cycle
            with about("robots.delay"):
                damping = damping_for_delay(m1 * m2 / (m1 + m2), stiff.rendered, late)
            return Hybrid(tools, touch, max(stiff.rendered - stiff.assumed, 0.0), damping)
