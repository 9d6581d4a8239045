"""A scenario for tests of campaigns: a tumbling box whose run ends in the way that is asked for."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from typing import ClassVar, Literal

import numpy as np
from numba import njit

import freefloat as ff
from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.errors import FieldError
from freefloat.scenario.base import Scenario
from freefloat.scenario.fields import quantity, setting

Trouble = Literal["none", "refuse", "raise", "diverge", "segv", "endless", "memory", "killed"]
ENDINGS = {
    "none": "ok",
    "refuse": "refused",
    "raise": "raised",
    "diverge": "failed",
    "segv": "died",
    "endless": "time-limit",
    "memory": "memory-limit",
    "killed": "died",
}


@njit("int64(int64)", nogil=True, cache=True)
def without_end(step: int) -> int:
    """A compiled loop that holds no GIL and hears no signal."""
    total = step
    while total != 0:
        total = (total + 2) % 1_000_003 + 1
    return total


class Troubled(Scenario):
    """Tumbles for a tenth of a second, then does what it should not."""

    kind: ClassVar[str] = "troubled"
    title: ClassVar[str] = "A box tumbles and gets into trouble"

    duration: float = quantity(0.1, "s", "simulated time", gt=0)
    trouble: Trouble = setting("none", "how the run ends")
    again: int = quantity(0, "-", "to have several of each", ge=0)
    mass: float = quantity(10.0, "kg", "of the box", gt=0)
    pause: float = quantity(0.0, "s", "wall time that the run takes at least", ge=0)

    def build(self) -> Mission:
        if self.trouble == "refuse":
            raise FieldError("mass", "no box of this mass today")
        rate = float(np.random.default_rng(self.seed).uniform(0.1, 1.0)) if self.trouble != "diverge" else 1e160
        box = ff.RigidBody("box", self.mass, size=(1.0, 2.0, 3.0), motion=ff.Motion(w_WL_L=(rate, 0.2, 0.01)))
        return Mission([box], integrator=self.integrator.make(), judge=self.judge)

    def judge(self, result: Result) -> dict[str, float]:
        time.sleep(self.pause)
        if self.trouble == "segv":
            ctypes.string_at(0)
        if self.trouble == "killed":
            os.kill(os.getpid(), signal.SIGKILL)
        if self.trouble == "endless":
            without_end(1)
        if self.trouble == "memory":
            filled = []
            while True:
                filled.append(np.ones(200_000_000))  # 1.6 GB at once
        return {"last_rate": float(result["box.w_WB_B"][-1, 0]), "mass_kg": self.mass}


class Raising(Troubled):
    """Its build raises."""

    kind: ClassVar[str] = "raising"
    title: ClassVar[str] = "A box that raises"

    def build(self) -> Mission:
        if self.trouble == "raise":
            raise ZeroDivisionError("no box at all")
        return super().build()
