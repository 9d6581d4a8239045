"""A part in one file, with public names only: a drum with links, a joint, a force of its own and signals."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import freefloat as ff
from freefloat.effects import Body, Column, Effect, add_pair, velocity_at
from freefloat.errors import InputError


def _pull(t, p, x, u, view, dx, tau, wrench, y, power):
    """A line of stiffness k between two bodies' origins that only pulls."""
    for r in range(p.i.shape[0]):
        a, b = p.i[r, 0], p.i[r, 1]
        pa, pb = view.xpos[a], view.xpos[b]
        dx_, dy, dz = pb[0] - pa[0], pb[1] - pa[1], pb[2] - pa[2]
        length = np.sqrt(dx_ * dx_ + dy * dy + dz * dz)
        y[r] = p.f[r, 0] * max(length - p.f[r, 1], 0.0)
        s = -y[r] / length
        fx, fy, fz = s * dx_, s * dy, s * dz
        add_pair(view, wrench, a, b, pb[0], pb[1], pb[2], fx, fy, fz)
        va, vb = velocity_at(view, a, pb[0], pb[1], pb[2]), velocity_at(view, b, pb[0], pb[1], pb[2])
        power[1] -= fx * (vb[0] - va[0]) + fy * (vb[1] - va[1]) + fz * (vb[2] - va[2])


LINE = Effect(
    "tether",
    _pull,
    columns=(Column("stiffness", "N/m"), Column("length", "m")),
    references={"a": Body, "b": Body},
    outputs=(Column("tension", "N", meaning="in the line"),),
)


@dataclass(frozen=True)
class Drum:
    """A drum on a body, a line from it to another body, its tension as a signal."""

    name: str
    on: str
    to: str
    stiffness: float = 200.0  # [N/m]
    length: float = 2.0  # [m]

    def build(self, b: ff.Builder) -> None:
        b.body(ff.Link("drum", 2.0, np.zeros(3), 0.02 * np.eye(3), frames={"eye": ff.Pose.identity()}))
        b.body(ff.Link("case", 1.0, np.zeros(3), 0.01 * np.eye(3)))
        b.mount(self.on, "case")
        joint = b.joint(ff.Joint("axle", "revolute", "case", "drum", ff.Pose.identity()))
        b.joint_signals([joint])
        row = b.add(LINE.row(b.full("line"), a=b.full("drum"), b=self.to, stiffness=self.stiffness, length=self.length))
        b.signal_of("tension", [row], "tension")


def test_a_part_of_ones_own_joins_a_mission_and_keeps_the_laws() -> None:
    away = ff.Motion(ff.Pose(np.eye(3), [1.9, 0.0, 0.0]), v_WL=(0.2, 0.05, 0.0))
    bodies = [ff.RigidBody("bus", 100.0), ff.RigidBody("catch", 20.0, size=(0.5, 0.5, 0.5), motion=away)]
    result = ff.Mission([*bodies, Drum("tug", on="bus", to="catch")]).run(5.0, strict=True)
    assert result["tug.tension"].max() > 1.0
    assert result.signals["tug.tension"].meaning == "in the line"
    assert result["catch.v_WB"][-1, 0] < 0.0, "the line turned it back"
    assert result.audit.drifts["linear_momentum_drift"] < 1e-12


def test_a_name_that_a_part_does_not_have_is_told_with_the_nearest() -> None:
    with pytest.raises(InputError, match=r"unknown link \(in tug.line\) 'cach'. Did you mean 'catch'"):
        ff.Mission([ff.RigidBody("bus"), ff.RigidBody("catch"), Drum("tug", on="bus", to="cach")]).session()


class Blink:
    """A task that a part brings: on, off, on, ..."""

    def update(self, t: float, meas: object) -> dict[str, list[float]]:
        return {"lamp": [float(round(t / 0.1) % 2 == 0)]}


@dataclass
class Lamp:
    """A part that is listed once: it has a command, the task that writes it, and an upkeep that counts."""

    name: str
    count: int = 0
    period: float = 0.25

    def build(self, b: ff.Builder) -> None:
        b.command("lit", (1,), "-", "1: on")
        b.output("count", (1,), "-", "times that somebody looked")
        b.task(ff.Task(Blink(), 0.1, writes={"lamp": b.full("lit")}, name=f"{self.name}-blink"))
        b.upkeep(self)

    def tend(self, world: ff.World, now_ns: int) -> None:
        self.count += 1
        world.write(f"{self.name}.count", [self.count])

    def restored(self, world: ff.World) -> None:
        world.claim(f"the lamp {self.name}", self.name)


def test_a_part_brings_its_task_and_its_upkeep() -> None:
    lamp = Lamp("lamp")
    result = ff.Mission([ff.RigidBody("bus"), lamp], record_rate=10.0).run(1.0)
    assert result["lamp.lit"][:5, 0].tolist() == [1.0, 0.0, 1.0, 0.0, 1.0]
    assert result["lamp.count"][-1, 0] == 4.0, "at 0, 0.25, 0.5 and 0.75 s"
    assert lamp.count == 0, "a session works on its own copy"
    mine = ff.Mission([ff.RigidBody("bus"), lamp], [ff.Task(Blink(), 0.1, writes={"lamp": "lamp.lit"}, name="mine")])
    with pytest.raises(InputError, match=r"command 'lamp.lit' has two writers: tasks 'mine' and 'lamp-blink'"):
        mine.session()
