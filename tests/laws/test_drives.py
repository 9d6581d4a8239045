"""Joints with drives: momentum and energy kept, through every change of structure; brakes, faults and levels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.drives import JointDrive, Resolver, faults, load_drive
from freefloat.engine.graph import Joint, Link, LinkGraph
from freefloat.verify.cases.arm_drives import comparisons
from freefloat.verify.cases.joint_drive import mission, reference
from freefloat.verify.driven_arm import START, arm_drives, driven_parts
from freefloat.verify.motor_control import MotorPD

STEP = 5e-4  # [s] that the arm's drives advise
PUSH = np.array([15.0, -20.0, 12.0, -12.0, 4.0, -4.0, 4.0])  # [N m] that moves every joint


def changed(drive: JointDrive, **changes: Any) -> JointDrive:
    """The drive with fields such as `gear__backlash` changed."""
    for path, value in changes.items():
        part, _, name = path.partition("__")
        drive = replace(drive, **{part: replace(getattr(drive, part), **{name: value})})
    return drive


def spin(session: ff.Session, arm: str = "arm") -> np.ndarray:
    """Sum of the rotors' momenta h a in W."""
    world = session.world
    joints = [j for n, j in world.joints.items() if n.startswith(f"{arm}.") and j.kind != "fixed"]
    momenta = session.read(f"{arm}.rotor_momentum")
    axes = [world.motion(j.parent)[0].R @ j.X_PJ.R @ j.axis for j in joints]
    return sum((h * a for h, a in zip(momenta, axes, strict=True)), np.zeros(3))


def arm_mission(parts: Any = None, integrator: Any = None, **options: Any) -> ff.Mission:
    return ff.Mission(parts or driven_parts(arm_drives()), integrator=integrator or ff.Dopri5(STEP), **options)


class Ground:
    """A frame `top` that stands."""

    name = "ground"

    def build(self, b: Any) -> None:
        b.body(Link("", 1.0, np.zeros(3), np.eye(3), (), {"top": ff.Pose.identity()}))
        b.anchor("", ff.Pose.identity())


def joint(drive: JointDrive | None, q: float = 0.0, inertia: float = 5.0, armature: float = 0.0) -> ff.Session:
    """One joint, `arm`, on a stator that stands still."""
    links = (Link("stator", 1.0, np.zeros(3), np.eye(3)), Link("load", 10.0, np.zeros(3), inertia * np.eye(3)))
    turn = Joint("turn", "revolute", "stator", "load", ff.Pose.identity(), armature=armature)
    part = ff.Arm("arm", LinkGraph(links, (turn,), "stator"), on="ground.top", q=[q], drives=[drive])
    return ff.Mission([Ground(), part], integrator=ff.RK4(STEP)).session()


def test_seven_driven_joints_move_as_with_rotors_that_are_bodies() -> None:
    """The case `arm-drives` with a motion that takes half a second."""
    rows = list(comparisons(0.5))
    assert not [f"{row.quantity}: {row.ours}" for row in rows if row.unexplained]
    explained = {row.quantity for row in rows if row.passed is False}
    assert all(name.startswith("RK4") and "moment" in name for name in explained), explained


def test_a_joint_with_every_imperfection_moves_as_the_stiff_solver_says() -> None:
    """The last part of the case `joint-drive`, with its limits and half its time."""
    motor = {"motor__unbalance": 0.02, "motor__third_harmonic": 0.01, "motor__viscous": 1e-5}
    driver = {"driver__offset": (0.05, -0.03), "driver__gain": (0.01, -0.01)}
    gear = {"gear__cubic": 1e8, "gear__kinematic_phase": 0.7, "gear__backlash": 3e-4}
    drive = changed(load_drive("spider-shoulder"), **motor, **driver, **gear)
    law = MotorPD([drive], [0.0], [0.15], 1.5, 20.0)
    truth = reference(drive, law)
    for method in (ff.RK4, ff.Dopri5):
        result = mission(drive, law, method(1e-3)).run(1.5, strict=True)
        assert np.abs(result["arm.q"][:, 0] - truth.x["q"]).max() < 1e-6
        assert np.abs(result["arm.motor_q"][:, 0] - truth.x["th"]).max() < 1e-4
        assert np.abs(result["arm.torque_gear"][:, 0] - truth.tau).max() < 1e-4 * np.abs(truth.tau).max()
        assert float(result["arm.drive_energy"][-1, 0]) == pytest.approx(float(truth.supplied[-1]), rel=1e-5)


def test_rotors_take_the_momentum_that_the_bodies_give(momenta: Any) -> None:
    session = arm_mission().session()
    session.write("arm.tau", PUSH)
    largest = 0.0
    for _ in range(5):
        session.step(0.1)
        P, L, _ = momenta(session)
        held = spin(session)
        largest = max(largest, float(np.linalg.norm(held)))
        assert np.linalg.norm(L + held) < 1e-9 * largest
        assert np.linalg.norm(P) < 1e-12
    assert largest > 1e-3


CARGO = ff.Motion(ff.Pose(np.eye(3), [0.5, 0.2, 3.5]), (0.02, 0.01, 0.0), (0.01, -0.02, -0.01))


def grasping(hold: str, **options: Any) -> ff.Mission:
    cargo = ff.RigidBody("cargo", 60.0, size=(0.4, 0.4, 0.4), motion=CARGO)
    grip = ff.Connection("grip", "arm.tool", "cargo", hold=hold)
    return arm_mission([*driven_parts(arm_drives()), cargo], connections=[grip], **options)


@pytest.mark.parametrize("hold", ["tree", "constraint"])
def test_latching_parting_and_rerooting_leave_the_rotors_their_momentum(hold: str, momenta: Any) -> None:
    session = grasping(hold).session()
    session.write("arm.tau", PUSH)
    session.step(0.2)
    for change in (
        lambda: session.attach("grip"),
        lambda: session.reroot("cargo"),
        lambda: session.reroot("arm.forearm_1"),
        lambda: session.detach("grip"),
    ):
        before, (P, L, _) = session.read("arm.rotor_momentum"), momenta(session)
        held = spin(session)
        assert np.abs(before).min() > 1e-6, "all of them turn"
        change()
        assert np.array_equal(session.read("arm.rotor_momentum"), before)
        P_after, L_after, _ = momenta(session)
        assert np.allclose(spin(session), held, rtol=0.0, atol=1e-15)
        assert np.allclose(P_after, P, rtol=0.0, atol=1e-12 * np.linalg.norm(P))
        assert np.allclose(L_after, L, rtol=0.0, atol=1e-12 * np.linalg.norm(L))
        session.step(0.05)


@pytest.mark.parametrize("hold", ["tree", "constraint"])
def test_the_audit_passes_through_changes_of_structure(hold: str) -> None:
    lost: list[float] = []
    events = [
        ff.Event("push", lambda s: s.write("arm.tau", PUSH), at=0.0),
        ff.Event("close", lambda s: lost.append(s.attach("grip")), at=0.1),
        ff.Event("root", lambda s: s.reroot("cargo"), at=0.3),
        ff.Event("open", lambda s: s.detach("grip"), at=0.4),
    ]
    result = grasping(hold, events=events).run(0.6, strict=True)
    assert lost[0] > 1e-3
    assert result.audit.drifts["angular_momentum_drift"] < 1e-10
    assert result.audit.drifts["energy_drift"] < 3e-7


def test_a_joint_that_rerooting_turns_round_moves_the_same() -> None:
    found = []
    for root in ("bus", f"arm.{driven_parts(None)[1].graph.links[-1].name}"):  # pyright: ignore[reportAttributeAccessIssue]
        session = arm_mission().session()
        session.reroot(root)
        session.write("arm.tau", PUSH)
        session.step(0.3)
        found.append([session.read(f"arm.{s}") for s in ("q", "motor_q", "torque_gear")])
    for (one, other), limit in zip(zip(*found, strict=True), (1e-9, 1e-7, 1e-5), strict=True):
        assert np.abs(one - other).max() < limit
    assert np.abs(found[0][0] - START).min() > 1e-3, "all joints have moved"


def test_without_power_the_energy_only_falls() -> None:
    """Windings behind a voltage of zero: nothing is supplied, all that moves and is wound up becomes heat."""
    drives = [changed(d, driver__kind="voltage") for d in arm_drives()]
    session = arm_mission(driven_parts(drives)).session()
    session.write("arm.tau", PUSH)
    session.step(0.3)
    session.write("arm.tau", np.zeros(7))
    held, heat, supplied = [], [], []
    for _ in range(60):
        now = session.world.audit()
        held.append(float(now["kinetic_energy"][0] + now["energy_stored"][0]))
        heat.append(float(now["heat"][0]))
        supplied.append(float(now["work_supplied"][0]))
        session.step(0.01)
    lost = held[0] - held[-1]
    assert lost > 0.05
    assert np.ptp(supplied) < 1e-7 * lost
    assert np.diff(held).max() < 1e-7 * lost
    assert np.diff(heat).min() > -1e-7 * lost
    assert heat[-1] - heat[0] == pytest.approx(lost, rel=1e-5)


def test_two_arms_in_one_world_move_as_each_alone() -> None:
    def pair(name: str, y: float) -> list[Any]:
        mount = {"mount": ff.Pose.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))}
        bus = ff.RigidBody(f"{name}_bus", frames=mount, motion=ff.Motion(ff.Pose(np.eye(3), [0.0, y, 0.0])))
        return [bus, replace(driven_parts(arm_drives())[1], name=name, on=f"{name}_bus.mount")]  # pyright: ignore[reportArgumentType]

    both = arm_mission([*pair("left", 0.0), *pair("right", 9.0)]).session()
    alone = {name: arm_mission(pair(name, y)).session() for name, y in (("left", 0.0), ("right", 9.0))}
    for name, sign in (("left", 1.0), ("right", -1.0)):
        for session in (both, alone[name]):
            session.write(f"{name}.tau", sign * PUSH)
    both.step(0.2)
    for name, session in alone.items():
        session.step(0.2)
        for signal, limit in (("q", 1e-12), ("motor_q", 1e-10), ("current", 1e-8)):
            assert np.abs(both.read(f"{name}.{signal}") - session.read(f"{name}.{signal}")).max() < limit
    assert np.abs(both.read("left.q") - both.read("right.q")).min() > 1e-4


def test_two_driven_arms_on_one_bus_keep_its_momentum(momenta: Any) -> None:
    mounts = {f"m{i}": ff.Pose.from_rpy((np.pi * i, 0.0, 0.0), (0.0, 0.0, 1.0 - 2.0 * i)) for i in range(2)}
    arms = [replace(driven_parts(arm_drives())[1], name=f"arm{i}", on=f"bus.m{i}") for i in range(2)]  # pyright: ignore[reportArgumentType]
    session = arm_mission([ff.RigidBody("bus", frames=mounts), *arms]).session()
    session.write("arm0.tau", PUSH)
    session.write("arm1.tau", -0.8 * PUSH)
    session.step(0.3)
    P, L, _ = momenta(session)
    held = [spin(session, "arm0"), spin(session, "arm1")]
    assert np.linalg.norm(L + sum(held)) < 1e-9 * max(map(np.linalg.norm, held))
    assert np.linalg.norm(P) < 1e-11


def test_a_snapshot_restored_gives_the_same_bytes() -> None:
    session = arm_mission().session()
    session.write("arm.tau", PUSH)
    session.step(0.1005)
    kept = session.snapshot()
    runs = []
    for _ in range(2):
        session.restore(kept)
        session.step(0.1)
        names = (
            "q",
            "qd",
            "motor_q",
            "motor_qd",
            "current",
            "voltage",
            "torque_gear",
            "rotor_momentum",
            "drive_energy",
        )
        runs.append([session.read(f"arm.{name}").tobytes() for name in names])
    assert runs[0] == runs[1]


def test_brakes_hold_without_creep_on_a_base_that_is_pushed_about() -> None:
    parts = driven_parts(arm_drives())
    parts[0] = replace(parts[0], motion=ff.Motion(w_WL_L=(0.2, -0.1, 0.15)))  # pyright: ignore[reportArgumentType]
    session = arm_mission(parts).session()
    session.write("arm.brake", np.ones(7))
    session.write("bus.wrench", [30.0, -20.0, 40.0, 50.0, 30.0, -20.0])
    session.step(0.01)  # rotors that stood in space are taken along: their brakes slip until then
    start = session.read("arm.motor_q")
    loads = []
    for _ in range(4):
        session.step(0.5)
        assert np.abs(session.read("arm.motor_q") - start).max() < 1e-9
        assert np.abs(session.read("arm.motor_qd")).max() < 1e-7
        loads.append(np.abs(session.read("arm.torque_gear")).max())
    assert min(loads) > 1.0, "the gears carry the arm"


def quiet(drive: str = "spider-shoulder") -> JointDrive:
    """A drive without cogging and kinematic error, its resolver right and its brake stronger than its motor."""
    even = changed(load_drive(drive), motor__cogging=0.0, gear__kinematic_error=0.0, brake__torque=2.0)
    return replace(even, motor_resolver=Resolver(bits=0))


def held(fault: int, command: float, electrical: float = 0.3) -> ff.Session:
    """After 0.1 s with the brake on, at this electrical angle."""
    drive = quiet()
    session = joint(drive, electrical / (drive.motor.pole_pairs * drive.gear.ratio))
    session.write("arm.brake", [1.0])
    session.write("arm.fault", [fault])
    session.write("arm.tau", [command])
    session.step(0.1)
    return session


@pytest.mark.parametrize(("fault", "sign"), [(faults.FULL_CURRENT, 1.0), (faults.FULL_CURRENT_BACK, -1.0)])
def test_full_current_is_the_largest_whatever_is_commanded(fault: int, sign: float) -> None:
    session = held(fault, -sign * 3.0)
    assert np.linalg.norm(session.read("arm.current")) == pytest.approx(10.0, rel=1e-6)
    assert session.read("arm.torque_motor")[0] == pytest.approx(sign * 0.1 * 10.0, rel=1e-6)


def test_an_open_phase_carries_nothing_and_halves_the_mean_torque() -> None:
    tau, torque = 8.0, []
    for electrical in np.arange(8) * np.pi / 4.0:
        session = held(faults.OPEN_PHASE, tau, electrical)
        assert session.read("arm.current")[0, 0] == 0.0
        torque.append(session.read("arm.torque_motor")[0])
        assert torque[-1] == pytest.approx(tau / 160.0 * np.sin(electrical) ** 2, abs=1e-8)
    assert np.mean(torque) == pytest.approx(0.5 * tau / 160.0, rel=1e-6)


def test_a_stuck_reference_stays_what_it_was() -> None:
    session = held(faults.NONE, 8.0)
    session.write("arm.fault", [faults.STUCK_REFERENCE])
    session.write("arm.tau", [-8.0])
    session.step(0.1)
    assert session.read("arm.torque_motor")[0] == pytest.approx(8.0 / 160.0, rel=1e-6)
    session.write("arm.fault", [faults.NONE])
    session.step(0.1)
    assert session.read("arm.torque_motor")[0] == pytest.approx(-8.0 / 160.0, rel=1e-6)


def test_a_lost_resolver_leaves_the_current_where_it_points() -> None:
    for electrical in (0.0, 1.0, 3.0):
        session = held(faults.LOST_RESOLVER, 8.0, electrical)
        assert session.read("arm.current")[0] == pytest.approx([0.5, 0.0], abs=1e-6)
        assert session.read("arm.torque_motor")[0] == pytest.approx(8.0 / 160.0 * np.cos(electrical), abs=1e-7)


def test_a_stuck_brake_holds_what_would_move_without() -> None:
    moved = {}
    for fault in (faults.NONE, faults.STUCK_BRAKE):
        session = joint(load_drive("spider-shoulder"))
        session.write("arm.fault", [fault])
        session.write("arm.tau", [30.0])
        session.step(0.3)
        moved[fault] = abs(float(session.read("arm.motor_q")[0]))
    assert moved[faults.NONE] > 10.0
    assert moved[faults.STUCK_BRAKE] < 1e-10


def test_a_stiffer_gear_tends_to_an_ideal_joint_with_the_inertia_of_the_rotor() -> None:
    drive = load_drive("spider-shoulder").at("elastic")
    rotor = drive.motor.inertia * drive.gear.ratio**2

    def angles(session: ff.Session) -> np.ndarray:
        out = []
        for k in range(50):
            session.write("arm.tau", [20.0 * np.sin(0.15 * k)])
            session.step(0.02)
            out.append(session.read("arm.q")[0])
        return np.array(out)

    ideal = angles(joint(None, armature=rotor))
    assert np.ptp(ideal) > 0.3
    off = []
    for stiffness in (1e4, 1e5, 1e6):
        damping = 0.5 * np.sqrt(stiffness * rotor)
        found = angles(joint(changed(drive, gear__stiffness=stiffness, gear__damping=damping)))
        off.append(np.abs(found - ideal).max())
    assert off[0] < 1e-2
    assert off[1] == pytest.approx(off[0] / 10.0, rel=0.2)
    assert off[2] == pytest.approx(off[1] / 10.0, rel=0.2)


def test_an_arm_with_ideal_joints_is_one_without_drives() -> None:
    found = []
    for drives in (None, [None] * 7):
        session = arm_mission(driven_parts(drives)).session()
        session.write("arm.tau", 0.1 * PUSH)
        session.step(0.1)
        found.append(session.read("arm.q").tobytes())
    assert found[0] == found[1]
