"""Two free bodies that touch, in a rehearsed world: what it costs to do the whole contact again in every cycle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from freefloat.contact.contact import Contact
from freefloat.contact.laws import SpringDamper
from freefloat.contact.surfaces import Ball, Plane
from freefloat.engine.blueprint import Motion
from freefloat.engine.mission import Mission, WorldSetup
from freefloat.engine.rehearsal import Ahead, Rehearsal
from freefloat.engine.session import Session
from freefloat.engine.task import Task
from freefloat.frames import Pose
from freefloat.structure import RigidBody

CYCLE = 0.004  # [s]
TOUCH, DURATION = 0.5, 0.1  # [s] when they meet, and for how long: half a period of 50 kg on 5e4 N/m
FACING = Pose.from_rpy((0.0, -np.pi / 2.0, 0.0), (-0.45, 0.0, 0.0))  # z of the plate along -x of its body
BEGIN = TOUCH - CYCLE  # [s] of what is done again
AHEAD = 0.04  # [s] that is looked ahead


@dataclass(frozen=True)
class Rehearsing:
    """A facility that moves the plate by micrometres each cycle of the contact, and does it `again` or goes on."""

    again: bool

    def update(self, t: float, meas: Mapping[str, Any]) -> dict[str, Any]:
        """The plate's place, and since when."""
        moved = np.array([*FACING.p, *FACING.q])
        moved[0] += 1e-6 * np.sin(1e3 * t)
        return {"place": moved[None], "since": BEGIN if self.again and t >= BEGIN else None}


def facility(again: bool) -> Session:
    """At the first touch of the two bodies; with `again`, each cycle looks ahead and begins before that touch."""
    client = RigidBody("client", 100.0, motion=Motion(Pose(np.eye(3), [1.0, 0.0, 0.0])))
    servicer = RigidBody("servicer", 100.0, motion=Motion(v_WL=(0.1, 0.0, 0.0)))
    tip = [Ball((0.5, 0.0, 0.0))]
    touch = Contact("touch", "client", "servicer", SpringDamper(5e4), surfaces=[Plane(FACING)], balls=tip, placed=True)
    space = WorldSetup("space", [client, servicer, touch], rehearsed=Rehearsal(0.2))
    reads = {"p": Ahead("servicer.p_WB", AHEAD)} if again else {"p": "servicer.p_WB"}
    rehearsing = Task(Rehearsing(again), CYCLE, reads, {"place": "touch.place"}, offset=BEGIN)
    session = Mission(worlds=[space], tasks=[rehearsing], record_rate=1000.0).session()
    session.step(TOUCH)
    return session
