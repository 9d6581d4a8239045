"""What the engine does around the verbs of a bank: answers under constraints, impulses, tables of many rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.effects import BOOK, Body, Column, Effect, Rate, State, add_pair, table_of
from freefloat.engine.fleet import Fleet
from freefloat.errors import InputError, SimulationError
from freefloat.robots import asset, load_urdf
from freefloat.verify.cases.verbs import WINDINGS, bounce

START = [0.3, -0.5, 0.2, 1.0, 0.1, 0.4, 0.0]
MOUNT = ff.Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))


def test_a_bounce_never_returns_to_python(monkeypatch: pytest.MonkeyPatch) -> None:
    session = bounce(0.3, ff.RK4(1e-3)).session()
    calls: list[int] = []
    advance = Fleet.advance

    def counted(self: Fleet, *arguments: Any) -> int:
        calls.append(1)
        return advance(self, *arguments)

    monkeypatch.setattr(Fleet, "advance", counted)
    session._fleet._steps = 1000
    session.step(0.4)
    assert session.read("bumper.mode")[0] == 0.0
    assert session.read("ball.v_WB")[0] > 0.0, "it has bounced"
    assert len(calls) == 1


@dataclass(frozen=True)
class Wound:
    """Windings on all joints of an arm."""

    name: str
    joints: tuple[str, ...]

    def build(self, b: ff.Builder) -> None:
        volts = b.command("volts", (len(self.joints),), "V")
        rows = [
            b.add(WINDINGS.row(f"{j}.winding", rate=j, voltage=(volts, k), R=1.0, L=1e-4, K=0.05))
            for k, j in enumerate(self.joints)
        ]
        b.signal_of("current", rows, "current")


class Steps:
    """Voltages that jump."""

    def update(self, t: float, meas: Any) -> dict[str, Any]:
        return {"volts": 2.0 * np.sign(np.sin(20.0 * t + np.arange(7))) * np.array([1, 1, 1, 1, 0.05, 0.05, 0.002])}


def wound_arm(step: float) -> ff.Mission:
    arm = ff.Arm("arm", load_urdf(asset("arm7")), on="bus.mount", q=START)
    joints = tuple(f"arm.{j.name}" for j in arm.graph.joints if j.kind != "fixed")
    parts = [ff.RigidBody("bus", frames={"mount": MOUNT}), arm, Wound("drives", joints)]
    task = ff.Task(Steps(), 0.02, writes={"volts": "drives.volts"})
    return ff.Mission(parts, [task], integrator=ff.RK4(step))


def test_seven_windings_on_a_free_arm_keep_momentum_and_energy_to_second_order() -> None:
    runs = {h: wound_arm(h).run(0.4) for h in (1e-3, 5e-4, 2.5e-4)}
    for run in runs.values():
        assert run.audit.drifts["linear_momentum_drift"] < 1e-8
        assert run.audit.drifts["angular_momentum_drift"] < 1e-8
    q = [runs[h]["arm.q"] for h in runs]
    coarse, fine = np.abs(q[0] - q[2]).max(), np.abs(q[1] - q[2]).max()
    assert coarse / fine > 4.0, "second order: differences from the finest fall by five"
    assert runs[1e-3].audit.drifts["energy_drift"] < 1e-6


def look() -> Effect:
    """A bank that shows what `advance` and `settle` get of a joint's answer, as states."""

    def stage(t, p, x, u, view, dx, tau, wrench, y, power):
        pass

    def advance(t, h, p, x, u, view, answer, new, impulse, moment, booked):
        for r in range(p.i.shape[0]):
            new[3 * r] = answer.minv[r, p.i[r, 0]]
            new[3 * r + 1] = answer.qacc[p.i[r, 0]]
            new[3 * r + 2] = answer.cacc[p.i[r, 1], 2]

    states = tuple(State(n, kind="fast") for n in ("minv", "qacc", "alpha_z"))
    return Effect(
        "look", stage, references={"rate": Rate, "body": Body}, states=states, advance=advance, answers=("rate",)
    )


@dataclass(frozen=True)
class Looking:
    name: str
    joint: str
    body: str
    effect: Effect = field(default_factory=look)

    def build(self, b: ff.Builder) -> None:
        row = b.add(self.effect.row(b.full("row"), rate=self.joint, body=self.body))
        for quantity in ("minv", "qacc", "alpha_z"):
            b.signal_of(quantity, [row], quantity)


@pytest.mark.parametrize("held", [False, True], ids=["free", "constrained"])
def test_the_answer_of_a_joint_is_what_an_effort_on_it_does(held: bool) -> None:
    """Column of M^-1 against the difference that an effort makes to the acceleration, with a loop closed too."""
    arm = ff.Arm("arm", load_urdf(asset("arm7")), on="bus.mount", q=START)
    joint = "arm.elbow_pitch"
    child = next(f"arm.{j.child}" for j in arm.graph.joints if f"arm.{j.name}" == joint)
    tool = f"arm.{arm.graph.links[-1].name}"
    parts = [ff.RigidBody("bus", 400.0, frames={"mount": MOUNT}), arm, Looking("eye", joint, child)]
    loop = [ff.Connection("grip", "bus", tool, hold="constraint", closed=True)] if held else []
    session = ff.Mission(parts, connections=loop).session()
    number = list(session.world.compiled().coordinate).index(joint)
    rate = session.world.compiled().rate[joint]
    before = session.world.compiled().data.qacc[rate]
    tau = np.zeros(7)
    tau[number] = 1.0
    session.write("arm.tau", tau)
    now = session.world.compiled().data
    session.step(1e-3)
    assert session.read("eye.minv")[0] == pytest.approx(now.qacc[rate] - before, rel=1e-9)
    assert session.read("eye.qacc")[0] == pytest.approx(now.qacc[rate], rel=1e-12)


def test_the_angular_acceleration_of_a_body_is_that_of_its_frame() -> None:
    arm = ff.Arm("arm", load_urdf(asset("arm7")), on="bus.mount", q=START)
    child = "arm.forearm_1"
    parts = [ff.RigidBody("bus", 400.0, frames={"mount": MOUNT}), arm, Looking("eye", "arm.elbow_pitch", child)]
    session = ff.Mission(parts).session()
    session.write("arm.tau", [2.0, 4.0, 1.0, 1.0, 0.02, 0.02, 0.001])
    session.step(0.2)

    def spin() -> float:
        X_WL, w_L, _ = session.world.motion(child)
        return float((X_WL.R @ w_L)[2])

    w0 = spin()
    session.step(1e-3)
    alpha = float(session.read("eye.alpha_z")[0])
    w1 = spin()
    session.step(1e-3)
    middle = 0.5 * (alpha + float(session.read("eye.alpha_z")[0]))
    assert (w1 - w0) / 1e-3 == pytest.approx(middle, rel=1e-4)


def kick(t, p, x, u, view, answer, crossed, tau, wrench, booked):
    """Impulse between two bodies once, at the first step's end."""
    if x[0] == 0.0:
        x[0] = 1.0
        o = view.xipos[p.i[0, 1]]
        add_pair(view, wrench, p.i[0, 0], p.i[0, 1], o[0], o[1] + 0.3, o[2], p.f[0, 0], 0.0, 0.0)
        booked[BOOK.work_supplied] += p.f[0, 1]
        booked[BOOK.heat] += p.f[0, 1]


def nothing(t, p, x, u, view, dx, tau, wrench, y, power):
    pass


KICK = Effect(
    "kick",
    nothing,
    (Column("impulse", "N s"), Column("energy", "J", meaning="that the charge has")),
    references={"a": Body, "b": Body},
    states=(State("done", kind="mode"),),
    settle=kick,
)


@pytest.mark.parametrize("welded", [False, True], ids=["free", "welded"])
def test_an_impulse_of_settle_keeps_momentum_and_its_work_is_booked(welded: bool) -> None:
    away = ff.Motion(ff.Pose(np.eye(3), [2.0, 0.0, 0.0]), (0.1, 0.0, 0.2), (0.3, 0.0, 0.0))
    near = ff.Motion(ff.Pose(np.eye(3), [-3.0, 0.0, 0.0]))
    parts = [ff.RigidBody("a", 20.0), ff.RigidBody("b", 5.0, motion=away), ff.RigidBody("c", 7.0, motion=near)]
    loop = [ff.Connection("weld", "a", "c", hold="constraint", closed=True)] if welded else []
    row = KICK.row("charge", a="a", b="b", impulse=4.0, energy=10.0)
    result = ff.Mission(parts, connections=loop, rows=[row]).run(0.5)
    assert result["b.v_WB"][-1, 0] > 0.9
    assert result.audit.drifts["linear_momentum_drift"] < 1e-13
    assert result.audit.drifts["angular_momentum_drift"] < 1e-12
    assert result.audit.drifts["energy_drift"] < 1e-9
    assert result.metrics["audit.work_supplied_J"] == 10.0
    if welded:
        gap = result["c.p_WB"] - result["a.p_WB"]
        assert np.abs(np.linalg.norm(gap, axis=1) - 3.0).max() < 1e-6


def lookup(t, p, x, u, view, dx, tau, wrench, y, power):
    for r in range(p.i.shape[0]):
        table = table_of(p.tables, r)
        y[r] = table[0, 0] * 10.0 + table.shape[0]


LOOKUP = Effect("lookup", lookup, references={"body": Body}, outputs=(Column("seen"),), table=2)


@dataclass
class Keeper:
    """Part and upkeep: a row with a table that grows."""

    name: str
    first: float
    columns: int = 2
    period: float = 0.1
    brings: bool = True

    def build(self, b: ff.Builder) -> None:
        row = b.add(LOOKUP.row(b.full("row"), body="a"))
        b.signal_of("seen", [row], "seen")
        if self.brings:
            b.upkeep(self)

    def tend(self, world: ff.World, now_ns: int) -> None:
        world.set_table(f"{self.name}.row", np.full((1 + now_ns // 100_000_000, self.columns), self.first))

    def restored(self, world: ff.World) -> None:
        self.tend(world, world.now_ns)


def test_a_bank_has_many_rows_with_tables_each_with_its_own() -> None:
    keepers = [Keeper("one", 1.0), Keeper("two", 2.0), Keeper("six", 6.0)]
    result = ff.Mission([ff.RigidBody("a"), *keepers], record_rate=10.0).run(0.35)
    for keeper in keepers:
        assert result[f"{keeper.name}.seen"][:4, 0].tolist() == [10.0 * keeper.first + n for n in (1, 2, 3, 4)]


def test_a_row_without_its_table_and_a_table_of_another_width_are_refused() -> None:
    keepers = [Keeper("one", 1.0), Keeper("two", 2.0, brings=False)]
    with pytest.raises(InputError, match=r"bank row 'two.row' has no table"):
        ff.Mission([ff.RigidBody("a"), *keepers]).session()
    wide = Keeper("one", 1.0, columns=3)
    with pytest.raises(InputError, match=r"table of bank row 'one.row': shape \(1, 3\); allowed: \(n, 2\)"):
        ff.Mission([ff.RigidBody("a"), wide]).session()


def test_an_effect_may_not_have_the_name_of_a_built_in_bank() -> None:
    with pytest.raises(InputError, match="effect 'wheel': a built-in bank has that name"):
        ff.Mission([ff.RigidBody("a")], rows=[Effect("wheel", nothing).row("w")]).session()


def test_an_impulse_while_a_latch_draws_keeps_the_energy_balance() -> None:
    """The constraint's own impulse does work there, because its two sides move against each other."""
    away = ff.Motion(ff.Pose(np.eye(3), [2.02, 0.0, 0.0]))
    parts = [ff.RigidBody("a", 20.0), ff.RigidBody("b", 5.0, motion=away)]
    target = ff.Pose(np.eye(3), [2.0, 0.0, 0.0])
    row = KICK_LATER.row("charge", a="a", b="b", impulse=2.0, energy=10.0)
    events = [ff.Event("draw", lambda s: s.attach("dock", target, "constraint", 5.0), at=0.0)]
    mission = ff.Mission(parts, connections=[ff.Connection("dock", "a", "b")], rows=[row], events=events)
    result = mission.run(1.0)
    assert result["charge.done"][-1, 0] == 1.0
    assert result.audit.drifts["energy_drift"] < 1e-6
    assert result.audit.drifts["linear_momentum_drift"] < 1e-12


def kick_later(t, p, x, u, view, answer, crossed, tau, wrench, booked):
    if x[0] == 0.0 and t > 0.1:
        x[0] = 1.0
        o = view.xipos[p.i[0, 1]]
        add_pair(view, wrench, p.i[0, 0], p.i[0, 1], o[0], o[1], o[2], p.f[0, 0], 0.0, 0.0)
        booked[BOOK.work_supplied] += p.f[0, 1]
        booked[BOOK.heat] += p.f[0, 1]


KICK_LATER = Effect(
    "kick-later", nothing, KICK.columns, KICK.references, states=(State("done", kind="mode"),), settle=kick_later
)


def floor_guard(t, p, x, u, view, g):
    g[0] = view.xpos[p.i[0, 0], 2]


def floor_settle(t, p, x, u, view, answer, crossed, tau, wrench, booked):
    """Turns the ball around where it falls through z = 0; no mode."""
    b = p.i[0, 0]
    if crossed[0] < 0:
        o = view.xipos[b]
        add_pair(view, wrench, 0, b, o[0], o[1], o[2], 0.0, 0.0, -2.0 * view.mass[b] * view.cvel[b, 5])


TRAMPOLINE = Effect(
    "trampoline", nothing, references={"ball": Body}, guard=floor_guard, settle=floor_settle, guards=("height",)
)


@pytest.mark.parametrize("watch_height", [False, True])
def test_an_event_on_a_velocity_that_settle_turns_around_fires(watch_height: bool) -> None:
    """Also where another event fires at the same instant and does nothing."""
    ball = ff.RigidBody("ball", 2.0, size=(0.2, 0.2, 0.2), motion=ff.Motion(v_WL=(0.0, 0.0, 3.0)))
    turned = ff.Event("turned", lambda s: None, signal="ball.v_WB", component=2, direction="rising")
    touch = ff.Event("touch", lambda s: None, signal="ball.p_WB", component=2, direction="falling")
    rows = [ff.uniform_gravity((0.0, 0.0, -9.81)), TRAMPOLINE.row("trampoline", ball="ball")]
    result = ff.Mission([ball], rows=rows, events=[turned, touch] if watch_height else [turned]).run(1.0)
    names = [e.name for e in result.events]
    assert names.count("turned") == 1
    assert names.count("touch") == int(watch_height)
    assert result.events[-1].t == pytest.approx(2.0 * 3.0 / 9.81, abs=1e-9)
    assert result.audit.passed


def limit_guard(t, p, x, u, view, g):
    g[0] = view.cvel[p.i[0, 0], 3] - 1.0


def limit_settle(t, p, x, u, view, answer, crossed, tau, wrench, booked):
    b = p.i[0, 0]
    if crossed[0] != 0:
        o = view.xipos[b]
        add_pair(view, wrench, 0, b, o[0], o[1], o[2], -0.5 * view.mass[b], 0.0, 0.0)


LIMITER = Effect(
    "limiter", nothing, references={"body": Body}, guard=limit_guard, settle=limit_settle, guards=("over",)
)


def test_the_jump_that_a_bank_makes_is_no_crossing_of_its_own_guard() -> None:
    body = ff.RigidBody("a", 2.0, motion=ff.Motion(v_WL=(0.9, 0.0, 0.0)))
    session = ff.Mission([body], rows=[LIMITER.row("limiter", body="a")]).session()
    session.write("a.wrench", [0.0, 0.0, 0.0, 2.0, 0.0, 0.0])
    session.step(0.3)
    assert session.read("a.v_WB")[0] == pytest.approx(0.7, abs=1e-12), "kicked once"


@pytest.mark.parametrize("push", [2.0, 1.9, -4.0])
def test_every_impulse_is_noticed_whatever_its_bits(push: float) -> None:
    """An elastic bounce of 1 kg at 1 m/s is exactly 2 N s."""

    def once(t, p, x, u, view, g):
        g[0] = 0.05 - t if view.cvel[p.i[0, 0], 5] == 0.0 else 1.0

    def kick_z(t, p, x, u, view, answer, crossed, tau, wrench, booked):
        if crossed[0] != 0:
            wrench[p.i[0, 0], 5] += p.f[0, 0]
            wrench[0, 5] -= p.f[0, 0]

    bank = Effect(
        "z", nothing, (Column("push", "N s"),), references={"b": Body}, guard=once, settle=kick_z, guards=("late",)
    )
    session = ff.Mission([ff.RigidBody("a", 1.0)], rows=[bank.row("z", b="a", push=push)]).session()
    session.step(0.1)
    assert session.read("a.v_WB")[2] == push, "kicked once"


def test_settle_knows_the_bodies_accelerations_without_answers() -> None:
    def keep(t, p, x, u, view, answer, crossed, tau, wrench, booked):
        x[0] = answer.cacc[p.i[0, 0], 5]

    bank = Effect("feel", nothing, references={"body": Body}, states=(State("a", kind="mode"),), settle=keep)
    rows = [ff.uniform_gravity((0.0, 0.0, -9.81)), bank.row("feel", body="a")]
    session = ff.Mission([ff.RigidBody("a")], rows=rows).session()
    session.step(0.01)
    assert session.read("feel.a")[0] == pytest.approx(-9.81, rel=1e-12)


def test_after_a_verb_raised_the_state_that_is_read_is_that_of_the_last_step() -> None:
    def fails(t, p, x, u, view, dx, tau, wrench, y, power):
        if t > 0.0105:
            raise ValueError("no")

    mission = ff.Mission(
        [ff.RigidBody("a", motion=ff.Motion(v_WL=(1.0, 0.0, 0.0)))], rows=[Effect("e", fails).row("e")]
    )
    session = mission.session()
    with pytest.raises(SimulationError, match="effect 'e' raised"):
        session.step(0.1)
    assert session.read("a.p_WB")[0] == pytest.approx(session.time, abs=1e-15)
    session.finish()
    rows = mission.result(session, 0.0)
    assert rows.time("a.p_WB").tolist() == [0.0, 0.01], "no row twice"


def test_an_effect_is_compiled_once_for_all_sessions() -> None:
    from freefloat.kernels.verbs import compiled_verb

    mission = ff.Mission([ff.RigidBody("a")], rows=[Effect("quiet", nothing).row("q")])
    mission.session()
    before = compiled_verb.cache_info().misses
    mission.session()
    assert compiled_verb.cache_info().misses == before


def test_a_part_that_holds_its_effect_can_bring_itself() -> None:
    keeper = Keeper("one", 1.0)
    keeper.effect = Effect("own", nothing)  # pyright: ignore[reportAttributeAccessIssue]
    session = ff.Mission([ff.RigidBody("a"), keeper]).session()
    assert session.read("one.seen")[0] == 11.0
