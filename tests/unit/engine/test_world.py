"""The world: users' effects, names that must exist, banks that keep their rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.engine.blueprint import RowOutput, RowState
from freefloat.engine.rows import joint_spring, joint_torque
from freefloat.errors import AuditWarning, InputError
from freefloat.kernels import handle as H
from freefloat.kernels.bank import Body, Command, Rate
from freefloat.kernels.entry import compiled
from freefloat.kernels.joint_torque import JOINT_TORQUE
from freefloat.kernels.view import add_pair, velocity_at

ELBOW = Rate("arm.elbow_pitch")


def drag(t, p, x, u, view, dx, tau, wrench, y, power):
    """Force -c v on a body's centre of mass from outside; y: its power."""
    for r in range(p.i.shape[0]):
        b = p.i[r, 0]
        c = view.xipos[b]
        vx, vy, vz = velocity_at(view, b, c[0], c[1], c[2])
        k = -p.f[r, 0]
        add_pair(view, wrench, 0, b, c[0], c[1], c[2], k * vx, k * vy, k * vz)
        y[r] = k * (vx * vx + vy * vy + vz * vz)
        power[2] -= y[r]


def tether(t, p, x, u, view, dx, tau, wrench, y, power):
    """A spring of rest length 0 between two bodies' centres, with its reaction; x: a first-order memory of it."""
    a, b = p.i[0, 0], p.i[0, 1]
    ca, cb = view.xipos[a], view.xipos[b]
    fx, fy, fz = -p.f[0, 0] * (cb[0] - ca[0]), -p.f[0, 0] * (cb[1] - ca[1]), -p.f[0, 0] * (cb[2] - ca[2])
    add_pair(view, wrench, a, b, cb[0], cb[1], cb[2], fx, fy, fz)
    va, vb = velocity_at(view, a, cb[0], cb[1], cb[2]), velocity_at(view, b, cb[0], cb[1], cb[2])
    power[1] -= fx * (vb[0] - va[0]) + fy * (vb[1] - va[1]) + fz * (vb[2] - va[2])
    dx[0] = 10.0 * (1.0 - x[0])


def one_sided(t, p, x, u, view, dx, tau, wrench, y, power):
    """A force on a body without a reaction anywhere: breaks Newton's third law."""
    wrench[p.i[0, 0], 3] += 5.0


def row(name: str, stage: Any, *links: str, f: tuple[float, ...] = (), **options: Any) -> ff.Row:
    return ff.Row(ff.Effect(name, stage), name, f, tuple(map(Body, links)), **options)


def two_bodies() -> list[ff.RigidBody]:
    apart = ff.Motion(ff.Pose(np.eye(3), [2.0, 0.5, 0.0]), (0.1, 0.2, 0.3), (0.0, 0.1, 0.0))
    return [ff.RigidBody("a", 10.0), ff.RigidBody("b", 5.0, motion=apart)]


def test_a_users_effect_joins_the_plant_and_follows_its_closed_form() -> None:
    body = ff.RigidBody("a", 10.0, motion=ff.Motion(v_WL=(3.0, 0.0, 0.0)))
    result = ff.Mission([body], rows=[row("drag", drag, "a", f=(2.0,), outputs=1)]).run(2.0)
    assert result["a.v_WB"][-1, 0] == pytest.approx(3.0 * np.exp(-0.4), rel=1e-12)
    assert result.audit.passed
    assert result.metrics["audit.heat_J"] == pytest.approx(45.0 * (1.0 - np.exp(-0.8)), rel=1e-10)


def test_an_effect_does_not_recompile_the_plant() -> None:
    signatures = list(compiled().signatures)  # pyright: ignore[reportFunctionMemberAccess]
    result = ff.Mission(two_bodies(), rows=[row("drag", drag, "b", f=(2.0,), outputs=1)]).run(0.01)
    assert result.metrics["audit.heat_J"] > 0.0
    assert list(compiled().signatures) == signatures  # pyright: ignore[reportFunctionMemberAccess]


def test_an_internal_effect_with_its_reaction_keeps_momentum_and_energy() -> None:
    effect = row("tether", tether, "a", "b", f=(40.0,), states=(0.25,))
    result = ff.Mission(two_bodies(), rows=[effect]).run(2.0)
    assert result.audit.drifts["linear_momentum_drift"] < 1e-13
    assert result.audit.drifts["angular_momentum_drift"] < 1e-12
    assert result.audit.drifts["energy_drift"] < 1e-9


def test_an_effects_states_and_outputs_are_signals_of_the_part_that_adds_it() -> None:
    class Tether:
        name = "line"

        def build(self, b: Any) -> None:
            b.add(row("line", tether, "a", "b", f=(40.0,), states=(0.25,)))
            b.add(row("drag", drag, "a", f=(2.0,), outputs=1))
            b.signal(ff.Signal("line.memory", "-"), [RowState("line")])
            b.signal(ff.Signal("line.power", "W"), [RowOutput("drag")])

    result = ff.Mission([*two_bodies(), Tether()]).run(0.5)
    t = result.time("line.memory")
    assert np.allclose(result["line.memory"], 1.0 - 0.75 * np.exp(-10.0 * t), rtol=0.0, atol=1e-10)
    speed = np.linalg.norm(result["a.v_WB"], axis=1)
    assert np.allclose(result["line.power"], -2.0 * speed**2, rtol=0.0, atol=1e-12)


def test_a_force_without_reaction_fails_the_audit() -> None:
    with pytest.warns(AuditWarning, match="linear_momentum_drift"):
        result = ff.Mission(two_bodies(), rows=[row("bad", one_sided, "b")]).run(0.5)
    assert not result.audit.passed
    assert "linear_momentum_drift" in result.audit.failures


@pytest.mark.parametrize(
    "stage",
    [lambda t, p: None, lambda t, p, x, u, view, dx, tau, wrench, y, power: view.nothing],
    ids=["signature", "attribute"],
)
def test_an_effect_that_does_not_compile_is_one_line_that_names_it(stage: Any) -> None:
    with pytest.raises(InputError, match=r"^effect 'broken': its stage function does not compile as stage\(") as error:
        ff.Mission([ff.RigidBody("a")], rows=[row("broken", stage, "a")]).session()
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("stage", [None, "not a function", 7])
def test_an_effect_without_stage_is_refused(stage: Any) -> None:
    with pytest.raises(InputError, match=r"^effect 'bare': stage .*; allowed: a function\(t, p, x, u, view, "):
        ff.Effect("bare", stage)


def test_two_effects_of_one_name_with_different_stages_are_refused() -> None:
    rows = [ff.Row(ff.Effect("e", s), n, (1.0,), (Body("a"),)) for n, s in (("one", drag), ("two", one_sided))]
    with pytest.raises(InputError, match="two effects are named 'e' and are not the same"):
        ff.Mission([ff.RigidBody("a")], rows=rows).session()


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (
            ff.Row(JOINT_TORQUE, "r", (1.0,), (ELBOW, Command("arm.tauu")), outputs=1),
            "unknown command .* 'arm.tauu'",
        ),
        (row("drag", drag, "c", f=(1.0,), outputs=1), r"unknown link \(in drag\) 'c'"),
        (joint_torque("arm.elbow", "arm.tau", 0), r"unknown joint \(in arm.elbow.drive\) 'arm.elbow'. Did you mean"),
        (ff.Row(JOINT_TORQUE, "r", (1.0,), (ELBOW, Command("arm.tau", 7)), outputs=1), "entry 7 of command 'arm.tau'"),
        (ff.Row(JOINT_TORQUE, "r", (1.0,), (ELBOW,)), "'r': needs 1 numbers and 2 references"),
        (joint_spring("x"), "unknown joint"),
    ],
)
def test_a_row_that_refers_to_nothing_is_refused_by_name(bus_with_arm: Any, bad: ff.Row, message: str) -> None:
    with pytest.raises(InputError, match=message):
        ff.Mission([*bus_with_arm(), ff.RigidBody("a")], rows=[bad]).session()


def test_a_row_of_no_bank_is_refused() -> None:
    with pytest.raises(InputError, match=r"bank row 'r': bank 99; allowed: an Effect"):
        ff.Row(99, "r")  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("source", [RowOutput("drag", 1), RowOutput("none"), RowState("drag"), RowState("drag", -1)])
def test_a_signal_of_an_entry_that_does_not_exist_is_refused(source: Any) -> None:
    class Bad:
        name = "bad"

        def build(self, b: Any) -> None:
            b.add(row("drag", drag, "a", f=(2.0,), outputs=1))
            b.signal(ff.Signal("bad.y", "-"), [source])

    with pytest.raises(InputError, match=r"(bad.y|drag)"):
        ff.Mission([ff.RigidBody("a"), Bad()]).session()


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ([], "no part with a body"),
        ([ff.RigidBody("a"), ff.RigidBody("a")], "two parts are named 'a'"),
        ([ff.RigidBody("a b")], "a name has no space and no dot"),
        ([ff.RigidBody("a.b")], "a name has no space and no dot"),
        ([ff.RigidBody("")], "a name has no space and no dot"),
        ([ff.RigidBody("world")], "that is the ground"),
    ],
)
def test_parts_need_names_of_their_own(parts: list[Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        ff.Mission(parts)


@pytest.mark.parametrize(
    ("given", "message"),
    [({"hold": "glue"}, "hold 'glue'; allowed"), ({"eta": -1.0}, "eta -1.0"), ({"eta": np.nan}, "eta nan")],
)
def test_an_impossible_connection_is_refused(given: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"connection 'c': {message}"):
        ff.Connection("c", "a", "b", **given)


def test_a_connection_of_unknown_frames_is_refused_with_the_nearest() -> None:
    with pytest.raises(InputError, match=r"unknown frame 'buss'. Did you mean 'bus'"):
        ff.Mission([ff.RigidBody("bus")], connections=[ff.Connection("c", "bus", "buss")])


def test_a_rate_that_an_effect_does_not_write_is_zero() -> None:
    def stage(t, p, x, u, view, dx, tau, wrench, y, power):  # pyright: ignore[reportUnusedParameter]
        if t < 0.5:
            dx[0] = 1.0

    effect = ff.Effect("half", stage)
    session = ff.Mission([ff.RigidBody("b")], rows=[ff.Row(effect, "half", (0.0,), (0,), (0.0,))]).session()
    session.step(2.0)
    plant = session.world._plant
    states = plant.memory[H.X][plant.tree.model.nq + plant.tree.model.nv :]
    assert states[0] == pytest.approx(0.5, abs=2e-3)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda w: w.load("latch"), "connection 'latch' is open; only a closed one carries a load"),
        (lambda w: w.load("lach"), "unknown connection or link 'lach'. Did you mean 'latch'"),
        (lambda w: w.joint("nobody"), "unknown joint 'nobody'"),
        (lambda w: w.set_joint("nobody", 0.0, 0.0), "unknown joint 'nobody'"),
        (lambda w: w.set_shapes("nobody", ()), "unknown link 'nobody'"),
        (lambda w: w.declared("nobody"), "unknown link 'nobody'"),
        (lambda w: w.motion("nobody"), "unknown link 'nobody'"),
        (lambda w: w.pose("nobody"), "unknown frame 'nobody'"),
        (lambda w: w.read("a.p"), "unknown signal 'a.p'"),
        (lambda w: w.write("a.wrenc", [0.0]), "unknown command 'a.wrenc'. Did you mean 'a.wrench'"),
        (lambda w: w.held("other.wrench"), "'other.wrench' is in world 'there', not in 'here'; a task can read"),
        (lambda w: w.read("other.p_WB"), "'other.p_WB' is in world 'there', not in 'here'; a task can read"),
        (lambda w: w.attach("nothing"), "unknown connection 'nothing'"),
    ],
)
def test_a_name_that_is_not_there_is_one_line(ask: Callable[[ff.World], Any], message: str) -> None:
    away = ff.Motion(ff.Pose.from_rpy((0.0, 0.0, 0.0), (3.0, 0.0, 0.0)))
    parts = [ff.RigidBody("a"), ff.RigidBody("b", motion=away)]
    here = ff.WorldSetup("here", parts, connections=[ff.Connection("latch", "a", "b")])
    session = ff.Mission(worlds=[here, ff.WorldSetup("there", [ff.RigidBody("other")])]).session()
    with pytest.raises(InputError) as told:
        ask(session.worlds["here"])
    assert str(told.value).startswith(message)


def test_the_gradient_of_a_position_is_its_jacobian_and_nothing_has_moved_afterwards() -> None:
    turned = ff.Pose.from_rpy((0.3, -0.2, 0.5), (1.0, 2.0, 3.0))
    body = ff.RigidBody("bus", frames={"tip": ff.Pose.from_rpy((0, 0, 0), (0.5, 0.0, 0.0))}, motion=ff.Motion(turned))
    session = ff.Mission([body]).session()
    before = session.read("bus.tip.p_WF"), session.read("bus.q_WB")
    J = session.world.gradient("bus.tip.p_WF")
    assert J[:, :3] == pytest.approx(np.eye(3), abs=1e-9)
    r = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.5], [0.0, -0.5, 0.0]])  # w x r with w in B
    assert J[:, 3:] == pytest.approx(turned.R @ r, abs=1e-9)
    for was, signal in zip(before, ("bus.tip.p_WF", "bus.q_WB"), strict=True):
        assert session.read(signal).tobytes() == was.tobytes()
