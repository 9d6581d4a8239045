"""Joint control as compiled ticks: the bytes of `update`, the efforts of the textbook formula, copies that go on."""

from __future__ import annotations

import copy
import gc
import pickle
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
import pytest

from freefloat.engine.onboard import OnboardCode
from freefloat.gnc.control.inverse_dynamics import Mass
from freefloat.gnc.control.joint_modes import Footing, JointModes
from freefloat.gnc.control.joints import ComputedTorque, JointPD
from freefloat.gnc.planning.arm.jerk_limited import JerkLimited, MotionLimits
from freefloat.gnc.planning.arm.joint_path import QuinticPath

Q0, Q1 = np.array([0.3, -0.5, 0.8]), np.array([-0.9, 0.7, 0.1])
LIMITS = MotionLimits.uniform(3, 0.4, 0.3, 0.5)
PAYLOAD = Mass(4.0, np.array([0.1, 0.0, -0.05]), np.diag([0.1, 0.2, 0.15]))
DOFS = np.arange(6, 9)
Measured = namedtuple("Measured", ["q", "qd", "q_WB", "v_WB", "w_WB_B"])
XML = """
<mujoco><option gravity="0 0 0"/><worldbody><body name="bus"><freejoint/>
  <inertial pos="0.05 0 -0.1" mass="{mass}" diaginertia="3 4 5"/>
  <body name="l1" pos="0.4 0 0.2"><joint name="j1" axis="0 0 1"/>
    <inertial pos="0.2 0 0" mass="3" diaginertia="0.02 0.1 0.1"/>
    <body name="l2" pos="0.5 0 0"><joint name="j2" axis="0 1 0" armature="0.02"/>
      <inertial pos="0.2 0.02 0" mass="2" diaginertia="0.02 0.08 0.08"/>
      <body name="l3" pos="0.5 0 0"><joint name="j3" axis="1 0.3 0"/>
        <inertial pos="0.1 0 0.03" mass="1" diaginertia="0.01 0.02 0.02"/>
</body></body></body></body></worldbody></mujoco>
"""


def model(mass: float = 30.0) -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_string(XML.format(mass=mass))


def pd() -> JointPD:
    return JointPD(QuinticPath(Q0, Q1, 3.0), np.array([5.0, 4.0, 3.0]), np.array([1.0, 0.8, 0.6]))


def torque() -> ComputedTorque:
    return ComputedTorque(QuinticPath(Q0, Q1, 3.0), model(), DOFS, 4.0, 0.9)


def modes() -> JointModes:
    feet = {end: Footing(model(mass), ("j1", "j2", "j3"), "bus", "l3") for end, mass in (("a", 30.0), ("b", 12.0))}
    return JointModes(feet, "a", effort=40.0, stiffness=[20.0, 30.0, 25.0])


def measured(seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    q_WB = rng.normal(size=4)
    values = rng.uniform(-1, 1, 3), rng.normal(size=3), q_WB / np.linalg.norm(q_WB), rng.normal(size=3)
    return dict(zip(Measured._fields, (*values, 0.3 * rng.normal(size=3)), strict=True))


def told(controller: Any, k: int) -> None:
    """What a sequencer tells the joint modes at update k: every mode, footing and mass."""
    if not isinstance(controller, JointModes):
        return
    orders: dict[int, Callable[[], None]] = {
        20: lambda: controller.follow(JerkLimited(Q0, Q1, LIMITS), 0.02 * k / 5),
        80: controller.comply,
        100: lambda: controller.stand_on("b"),
        120: lambda: controller.footing.set_payload(PAYLOAD),
        140: lambda: controller.comply(Q0),
        160: lambda: controller.follow(JerkLimited(Q1, Q0, LIMITS), 0.0),
        200: lambda: controller.stop(0.02 * k / 5, LIMITS),
        220: controller.hold,
        240: lambda: controller.stand_on("a"),
    }
    orders.get(k, lambda: None)()


def run_in_python(controller: Any, k: int) -> list[bytes]:
    told(controller, k)
    return [value.tobytes() for value in controller.update(0.004 * k, measured(k)).values()]


def run_in_machine_code(controller: Any, k: int) -> list[bytes]:
    """As the plant's loop runs it."""
    told(controller, k)
    OnboardCode("test", controller, measured(k), compiled=True).run(0.004 * k)
    return [value.tobytes() for value in controller.out]


@pytest.mark.parametrize("make", [pd, torque, modes])
def test_a_compiled_tick_gives_the_bytes_of_update_and_so_do_copies(make: Callable[[], Any]) -> None:
    in_python, in_machine_code = make(), make()
    for k in range(300):
        if k in (110, 210):
            in_machine_code = copy.deepcopy(in_machine_code)
            gc.collect()
        if k in (130, 230):
            in_machine_code = pickle.loads(pickle.dumps(in_machine_code))
        assert run_in_python(in_python, k) == run_in_machine_code(in_machine_code, k), k


@pytest.mark.parametrize("make", [torque, modes])
def test_a_copy_and_its_original_do_not_disturb_each_other(make: Callable[[], Any]) -> None:
    alone, original = make(), make()
    for k in range(50):
        assert run_in_python(alone, k) == run_in_python(original, k)
    twin = copy.deepcopy(original)
    for k in range(50, 150):
        run_in_python(twin, k + 70)
        assert run_in_python(alone, k) == run_in_python(original, k)


def formula(m: mujoco.MjModel, meas: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """M* and c* by NumPy."""
    d = mujoco.MjData(m)
    d.qpos[3:7], d.qpos[7:] = meas["q_WB"], meas["q"]
    d.qvel[:3], d.qvel[3:6], d.qvel[6:] = meas["v_WB"], meas["w_WB_B"], meas["qd"]
    mujoco.mj_kinematics(m, d)
    mujoco.mj_comPos(m, d)
    mujoco.mj_makeM(m, d)
    mujoco.mj_comVel(m, d)
    M, c = np.zeros((9, 9)), np.zeros(9)
    mujoco.mj_rne(m, d, 0, c)
    mujoco.mj_fullM(m, d, M)
    coupling = np.linalg.solve(M[:6, :6], M[:6, 6:])
    return M[6:, 6:] - M[6:, :6] @ coupling, c[6:] - coupling.T @ c[:6]


def test_computed_torque_is_the_inverse_dynamics_with_the_base_left_to_react() -> None:
    control = torque()
    for k in range(20):
        meas, (q, qd, qdd) = measured(k), control.path.at(0.1 * k)
        out, (M, c) = control.update(0.1 * k, meas), formula(control.model, meas)
        a = qdd + 2.0 * 0.9 * 4.0 * (qd - meas["qd"]) + 16.0 * (q - meas["q"])
        np.testing.assert_allclose(out["tau"], M @ a + c, rtol=1e-10, atol=1e-10 * np.abs(M @ a).max())
        np.testing.assert_array_equal(out["error"], q - meas["q"])


def test_both_modes_follow_their_formula_on_either_footing() -> None:
    control = modes()
    K, path = control.stiffness, JerkLimited(Q0, Q1, LIMITS)
    control.effort[:] = 1e6
    for k in range(20):
        t, meas = 0.1 * k, measured(k)
        control.stand_on("ab"[k % 2])
        control.footing.set_payload(PAYLOAD if k > 10 else Mass.none())
        M, c = formula(control.footing.model, meas)
        control.follow(path, 0.0)
        q, qd, qdd = control.reference(t)
        a = qdd + 16.0 * (qd - meas["qd"]) + 64.0 * (q - meas["q"])
        np.testing.assert_allclose(control.update(t, meas)["tau"], M @ a + c, rtol=1e-9)
        control.comply(q)
        L = np.linalg.cholesky(M)
        values, vectors = np.linalg.eigh(np.linalg.solve(L, np.linalg.solve(L, np.diag(K)).T))
        D = 1.4 * L @ (vectors * np.sqrt(values)) @ vectors.T @ L.T
        wanted = K * (q - meas["q"]) - D @ meas["qd"] + c
        np.testing.assert_allclose(control.update(t, meas)["tau"], wanted, rtol=1e-9)
