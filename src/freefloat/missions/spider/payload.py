"""SPIDER fetches a free payload: free motion, contact, latch, a move with 250 kg, release, in one list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from freefloat.contact import Ball, Contact, Plane, SpringDamper
from freefloat.engine.blueprint import Builder
from freefloat.engine.event import Event
from freefloat.engine.graph import Link
from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.errors import InputError
from freefloat.frames import Array, Pose
from freefloat.gnc.control.operations import Operation
from freefloat.missions.drive_settings import drive_metrics
from freefloat.missions.spider.arm import GRIP, Payload, Spider, assemble
from freefloat.missions.spider.command_settings import placed_in
from freefloat.missions.spider.force_control import tool_pose
from freefloat.missions.spider.settings import SpiderSettings
from freefloat.scenario.base import IntegratorSettings, Scenario
from freefloat.scenario.fields import Settings, Vector3, quantity, setting
from freefloat.scenario.registry import register

if TYPE_CHECKING:
    from freefloat.engine.session import Session

LABELS = (*(f"linear {of}" for of in ("x", "y", "z", "sizes")), *(f"angular {of}" for of in ("x", "y", "z", "sizes")))


class BoxSettings(Settings):
    """A free box with a bar on the face that the arm comes to."""

    mass: float = quantity(250.0, "kg", "mass", gt=0, le=1000)
    size: Vector3 = quantity((0.5, 0.5, 0.5), "m", "edges; a solid box gives the inertia", gt=0)
    gap: float = quantity(0.02, "m", "from the tool to its bar at the start", gt=0, le=0.2)
    stiffness: float = quantity(1e4, "N/m", "of the bumper between palm and box", gt=0, le=1e8)
    damping: float = quantity(600.0, "N s/m", "of the bumper", ge=0, le=1e6)


class FetchSettings(Settings):
    """What is done with it."""

    detour: Vector3 = quantity((0.0, 0.0, 0.15), "m", "free motion before, there and back, in the mount's axes")
    detour_speed: float = quantity(0.1, "m/s", "of the free motion", gt=0, le=0.1)
    approach_speed: float = quantity(0.005, "m/s", "at which the box is met", gt=0, le=0.1)
    touch: float = quantity(1.0, "N", "force that ends the approach", gt=0, le=100)
    grip: float = quantity(20.0, "N", "of each jaw", gt=0, le=200)
    by: Vector3 = quantity((0.0, 0.15, 0.1), "m", "way of the box, in the mount's axes")
    speed: float = quantity(0.02, "m/s", "on that way", gt=0, le=0.1)
    settle: float = quantity(6.0, "s", "time at rest before the release", gt=0)
    retreat: float = quantity(0.05, "m", "way back after the release, along the tool", gt=0, le=0.5)


@dataclass(frozen=True)
class Ledger:
    """Part: the momentum of all links just before and just after the latch closed, about the world's origin."""

    name: str = "ledger"

    def build(self, b: Builder) -> None:
        """Two commands that the latch's event writes."""
        for when in ("before", "after"):
            told = f"linear and angular momentum just {when} the latch closed, and the sums of their sizes"
            b.command(when, (8,), "N s, N m s", told, labels=LABELS)


def momentum(session: Session, links: Mapping[str, Link]) -> Array:
    """[p, sum of |p_i|, l, sum of |l_i|] of links [N s, N m s] in W, about its origin, from their motion alone.

    Rotors of drives are left out: they hang on their gears' springs, and a latch does not change their spin.
    """
    p, turn, sizes = np.zeros(3), np.zeros(3), np.zeros(2)
    for name, link in links.items():
        X_WL, w_WL_L, v_WL = session.motion(name)
        arm = X_WL.R @ link.p_LLcm
        w = X_WL.R @ w_WL_L
        own = link.mass * (v_WL + np.cross(w, arm))
        turning = np.cross(X_WL.p + arm, own) + X_WL.R @ (link.I_LLcm_L @ w_WL_L)
        p, turn = p + own, turn + turning
        sizes += np.linalg.norm(own), np.linalg.norm(turning)
    return np.array([*p, sizes[0], *turn, sizes[1]])


@register
class SpiderPayload(Scenario):
    """SPIDER on a free flyer of 1 t latches a free box of 250 kg, moves it and lets it go."""

    kind: ClassVar[str] = "spider-payload"
    title: ClassVar[str] = "SPIDER on a free flyer fetches 250 kg: free motion, contact, latch, move, release"

    duration: float = quantity(45.0, "s", "simulated time", gt=0, le=1e9)
    arm: SpiderSettings = setting(SpiderSettings(base="flyer"), "the arm")
    box: BoxSettings = setting(BoxSettings(), "the payload")
    fetch: FetchSettings = setting(FetchSettings(), "what is done with it")
    integrator: IntegratorSettings = setting(
        IntegratorSettings(method="auto", step="auto"), "how the plant is integrated; both follow the drives"
    )

    def build(self) -> Mission:
        """As in `spider-motion`, with a free box before the hand and a bumper between them."""
        arm, box, X_AT = self.arm, self.box, tool_pose(self.arm.start)
        payload = Payload(box.mass, box.size, X_AT @ Pose(np.eye(3), (0.0, 0.0, box.gap)))
        face = payload.X_PG @ Pose(np.diag([1.0, -1.0, -1.0]))
        law = SpringDamper(box.stiffness, box.damping)
        bumper = Contact(
            "bumper", "payload", "jaws.palm", law, surfaces=[Plane(face)], balls=[Ball((0.0, 0.0, GRIP), 0.0)]
        )
        drives = arm.all_drives()
        parts = [bumper, Ledger()]
        spider = assemble(drives, arm.start, arm.base, payload, arm.control.make(), arm.force_noise, parts)
        try:
            spider.operations.begin(self._operations(X_AT))
        except InputError as e:
            raise placed_in("fetch", e) from None
        return Mission(
            spider.blueprint,
            tasks=spider.tasks,
            events=_noting(spider),
            integrator=self.integrator.make(driven=True),
            record_rate=self.record_rate,
            judge=partial(self._judge, spider=spider),
            plots=("tip.p_reached", "payload.p_WB", "payload.v_WB", "bumper.force", "arm.torque_gear"),
        )

    def _operations(self, X_AT: Pose) -> list[Operation]:
        f, axis = self.fetch, X_AT.R[:, 2]
        met = X_AT.p + self.box.gap * axis
        there = met + np.asarray(f.by)
        return [
            Operation("move", to=Pose(X_AT.R, X_AT.p + np.asarray(f.detour)), speed=f.detour_speed),
            Operation("move", to=X_AT, speed=f.detour_speed, settle=2.0),
            Operation(
                "approach",
                direction=tuple(axis.tolist()),
                distance=self.box.gap + 0.01,
                speed=f.approach_speed,
                force=f.touch,
            ),
            Operation("grip", force=f.grip),
            Operation("latch", payload="payload"),
            Operation("move", to=Pose(X_AT.R, there), speed=f.speed, settle=f.settle),
            Operation("release"),
            Operation("move", to=Pose(X_AT.R, there - f.retreat * axis), speed=f.speed),
        ]

    def _judge(self, result: Result, spider: Spider) -> dict[str, float]:
        """Momentum across the latch, and what the box does after it is let go."""
        found = {
            "plan_completed": float(result.controllers["plan"].finished),
            **drive_metrics(result, "arm", spider.drives),
        }
        before, after = result["ledger.before"][-1], result["ledger.after"][-1]
        if before.any():
            off = [np.linalg.norm(after[i : i + 3] - before[i : i + 3]) / before[i + 3] for i in (0, 4)]
            found["latch_momentum_error"] = float(max(off))
        released = [event.t for event in result.events if event.name == "released"]
        if released:
            found["release_speed_m_s"] = float(np.linalg.norm(result["payload.v_WB"][-1]))
            found["release_rate_deg_s"] = float(np.rad2deg(np.linalg.norm(result["payload.w_WB_B"][-1])))
        if "flyer.p_WB" in result:
            found["base_way_max_m"] = float(
                np.linalg.norm(result["flyer.p_WB"] - result["flyer.p_WB"][0], axis=1).max()
            )
        return found


def _noting(spider: Spider) -> list[Event]:
    """The events of the latch; its closing notes the momentum before and after."""
    links = dict(spider.blueprint.links)

    def noting(event: Event) -> Event:
        def act(session: Session) -> object:
            before = momentum(session, links)
            told = event.action(session)
            session.write("ledger.before", before)
            session.write("ledger.after", momentum(session, links))
            return told

        return Event(event.name, act, event.signal, event.component, event.level, event.direction)

    return [noting(event) if event.name == "latched" else event for event in spider.events]
