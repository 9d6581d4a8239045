"""A scenario class as users write it in a script, a notebook or a package; tests take the text."""

from typing import ClassVar

import freefloat as ff
from freefloat.scenario.base import Scenario
from freefloat.scenario.fields import quantity

HALF = 0.5


class Own(Scenario):
    kind: ClassVar[str] = "own-box"
    title: ClassVar[str] = "A box of a script"
    duration: float = quantity(0.1, "s", "simulated time", gt=0)
    mass: float = quantity(10.0, "kg", "of the box", gt=0)

    def build(self):
        return ff.Mission([ff.RigidBody("box", self.mass)], judge=self.judge)

    def judge(self, r):
        return {"half_kg": HALF * self.mass, "rows": r.frames["plant"].height}
