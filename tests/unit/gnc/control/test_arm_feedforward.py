import mujoco
import numpy as np
import pytest

from freefloat.errors import InputError, ModelError
from freefloat.frames import quat_exp, quat_log
from freefloat.gnc.control import free_floating as ff
from freefloat.gnc.control.arm_feedforward import ArmFeedforward, moved_bodies
from freefloat.gnc.control.attitude import AttitudeController
from freefloat.gnc.planning.arm.joint_path import QuinticPath


def robot(joints: int = 3) -> mujoco.MjModel:
    """A 100 kg bus, its frame away from its centre of mass, with an arm of 1 m links in space."""
    spec = mujoco.MjSpec()
    spec.option.gravity = [0.0, 0.0, -9.81]
    bus = spec.worldbody.add_body(
        name="bus", mass=100.0, ipos=[0.1, -0.05, 0.02], inertia=[12, 10, 8], explicitinertial=True
    )
    bus.add_joint(type=mujoco.mjtJoint.mjJNT_FREE, align=mujoco.mjtAlignFree.mjALIGNFREE_FALSE)
    parent, at = bus, [0.5, 0.1, 0.3]
    for k, axis in enumerate(([0, 0, 1], [0, 1, 0], [1, 0, 0.5])[:joints]):
        parent = parent.add_body(
            name=f"link{k}",
            pos=at,
            mass=8.0 - 2 * k,
            ipos=[0.4, 0.05, 0],
            inertia=[0.1, 0.7, 0.75],
            explicitinertial=True,
        )
        parent.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=axis)
        at = [1.0, 0.0, 0.0]
    return spec.compile()


DOFS = np.array([6, 7, 8])
PATH = QuinticPath(np.array([0.2, -0.4, 0.1]), np.array([0.2 + np.pi / 2, 0.5, -0.6]), 60.0)


def still(model: mujoco.MjModel) -> mujoco.MjModel:
    model.opt.gravity[:] = 0.0
    return model


def required_torque(model, q_WB, w, a, q, qd, qdd) -> np.ndarray:
    """Torque on the bus in B that MuJoCo's inverse dynamics asks for with the bus turning at w, a and no net force."""
    d = mujoco.MjData(model)
    d.qpos[3:7], d.qpos[7:] = q_WB, q
    d.qvel[3:6], d.qvel[6:] = w, qd
    d.qacc[3:6], d.qacc[6:] = a, qdd

    def wrench(linear):
        d.qacc[:3] = linear
        mujoco.mj_inverse(model, d)
        return d.qfrc_inverse[:6].copy()

    at_rest = wrench(np.zeros(3))
    slope = np.column_stack([wrench(e)[:3] - at_rest[:3] for e in np.eye(3)])
    out = wrench(-np.linalg.solve(slope, at_rest[:3]))
    np.testing.assert_allclose(out[:3], 0.0, atol=1e-10)
    return out[3:]


@pytest.mark.parametrize("seed", range(5))
def test_feedforward_and_controller_together_are_the_inverse_dynamics_of_the_free_system(seed):
    rng = np.random.default_rng(seed)
    model = robot()
    q, qd, qdd, w, a = rng.normal(size=(5, 3))
    q_WB = quat_exp(rng.normal(size=3))
    out = ArmFeedforward(model, DOFS).update(0.0, {"q": q, "qd": qd, "qdd": qdd, "w_WB_B": w})
    ours = out["tau_ff"] + out["inertia_B"] @ a + np.cross(w, out["inertia_B"] @ w)
    np.testing.assert_allclose(ours, required_torque(still(model), q_WB, w, a, q, qd, qdd), atol=1e-10)


def test_feedforward_is_the_rate_of_the_angular_momentum_about_the_centre_of_mass():
    model = robot()
    feedforward = ArmFeedforward(model, DOFS, PATH)
    data, dt = mujoco.MjData(model), 1e-3

    def momentum(t):
        q, qd, _ = PATH.at(t)
        data.qpos[7:] = q
        return ff.momentum_map(model, data)[:3, 6:] @ qd

    for t in (5.0, 20.0, 41.0):
        out = feedforward.update(t, {})
        np.testing.assert_allclose(out["tau_ff"], (momentum(t + dt) - momentum(t - dt)) / (2 * dt), atol=1e-8)
        np.testing.assert_allclose(out["L_B"], momentum(t), atol=1e-14)


def test_system_inertia_is_that_of_the_composite_body():
    model = robot()
    out = ArmFeedforward(model, DOFS, PATH).update(30.0, {})
    data = mujoco.MjData(model)
    data.qpos[7:] = PATH.at(30.0)[0]
    mujoco.mj_forward(model, data)
    expected = np.zeros((3, 3))
    for b in range(1, model.nbody):
        R = data.ximat[b].reshape(3, 3)
        r = data.xipos[b] - data.subtree_com[1]
        expected += R @ np.diag(model.body_inertia[b]) @ R.T + model.body_mass[b] * (r @ r * np.eye(3) - np.outer(r, r))
    np.testing.assert_allclose(out["inertia_B"], expected, atol=1e-12)


def test_a_still_arm_asks_for_nothing_even_on_a_turning_bus():
    meas = {"q": np.ones(3), "qd": np.zeros(3), "qdd": np.zeros(3), "w_WB_B": np.array([0.1, -0.2, 0.3])}
    np.testing.assert_array_equal(ArmFeedforward(robot(), DOFS).update(0.0, meas)["tau_ff"], np.zeros(3))


def test_lead_takes_the_path_ahead_of_time():
    model = robot()
    ahead = ArmFeedforward(model, DOFS, PATH, lead=2.0).update(10.0, {})["tau_ff"]
    np.testing.assert_array_equal(ahead, ArmFeedforward(model, DOFS, PATH).update(12.0, {})["tau_ff"])


class OnlyAt:
    """A path that does not compile."""

    def at(self, t):
        return PATH.at(t)


def test_a_path_that_does_not_compile_gives_the_same_and_has_no_tick():
    plain, compiled = (ArmFeedforward(robot(), DOFS, path, 0.05) for path in (OnlyAt(), PATH))
    meas = {"w_WB_B": np.array([0.1, -0.2, 0.3])}
    for t in (0.0, 20.0, 60.0):
        expected, out = compiled.update(t, meas), plain.update(t, meas)
        assert all((out[name] == expected[name]).all() for name in ("tau_ff", "L_B", "inertia_B"))
    assert hasattr(compiled, "tick")
    assert not hasattr(plain, "tick")


def test_joints_that_are_not_moved_are_locked():
    q, qd, qdd, w = np.random.default_rng(1).normal(size=(4, 3))
    q[1] = 0.0
    locked, moving = ArmFeedforward(robot(), DOFS[[2, 0]]), ArmFeedforward(robot(), DOFS)
    out = locked.update(0.0, {"q": q[[2, 0]], "qd": qd[[2, 0]], "qdd": qdd[[2, 0]], "w_WB_B": w})
    qd[1] = qdd[1] = 0.0
    expected = moving.update(0.0, {"q": q, "qd": qd, "qdd": qdd, "w_WB_B": w})
    for name, value in expected.items():
        np.testing.assert_allclose(out[name], value, rtol=1e-13, atol=1e-14)


def test_mass_scale_changes_the_onboard_arm_and_leaves_the_callers_model_alone():
    model = robot()
    before = model.body_mass.copy()
    scaled = ArmFeedforward(model, DOFS, PATH, mass_scale=1.05)
    np.testing.assert_array_equal(model.body_mass, before)
    np.testing.assert_allclose(scaled.model.body_mass[2:], 1.05 * before[2:])
    assert scaled.model.body_mass[1] == before[1]
    exact, off = (f.update(20.0, {})["tau_ff"] for f in (ArmFeedforward(model, DOFS, PATH), scaled))
    assert np.linalg.norm(off - exact) / np.linalg.norm(exact) == pytest.approx(0.05, abs=0.01)


def test_moved_bodies_are_those_beyond_the_joints():
    model = robot()
    assert moved_bodies(model, np.array([7])).tolist() == [False, False, False, True, True]


def swing(feedforward: ArmFeedforward | None, period: float = 0.1, steps: int = 4) -> float:
    """RMS attitude error [rad] over a 90 deg swing in 60 s and 20 s after it, with attitude control at `period`."""
    model = still(robot())
    d = mujoco.MjData(model)
    d.qpos[7:] = PATH.q0
    inertia = ArmFeedforward(model, DOFS, PATH).update(0.0, {})["inertia_B"]
    control = AttitudeController(inertia)
    M, bias, h, errors = np.zeros((9, 9)), np.zeros(9), period / steps, []

    def acceleration(t: float, tau: np.ndarray) -> np.ndarray:
        d.qpos[7:], d.qvel[6:], qdd = PATH.at(t)
        mujoco.mj_fwdPosition(model, d)
        mujoco.mj_fwdVelocity(model, d)
        mujoco.mj_fullM(model, d, M)
        mujoco.mj_rne(model, d, 0, bias)
        push = np.concatenate([np.zeros(3), tau])
        return np.linalg.solve(M[:6, :6], push - M[:6, 6:] @ qdd - bias[:6])

    for k in range(round(80.0 / period)):
        t = k * period
        meas = {"q_WB": d.qpos[3:7].copy(), "w_WB_B": d.qvel[3:6].copy()}
        errors.append(np.linalg.norm(quat_log(meas["q_WB"])))
        out = feedforward.update(t, meas) if feedforward else {}
        tau = control.update(t, meas | out)["tau"]
        for i in range(steps):
            start, speed = d.qpos.copy(), d.qvel[:6].copy()
            a = acceleration(t + i * h, tau)
            d.qvel[:6] = speed + 0.5 * h * a
            mujoco.mj_integratePos(model, d.qpos, np.concatenate([speed, np.zeros(3)]), 0.5 * h)
            middle = d.qvel[:6].copy()
            a = acceleration(t + (i + 0.5) * h, tau)
            d.qpos[:] = start
            mujoco.mj_integratePos(model, d.qpos, np.concatenate([middle, np.zeros(3)]), h)
            d.qvel[:6] = speed + h * a
    return float(np.sqrt(np.mean(np.square(errors))))


def test_feedforward_holds_the_bus_fifty_times_better_and_ten_times_with_five_percent_mass_error():
    model = robot()
    feedback = swing(None)
    assert feedback > np.deg2rad(0.01)
    assert feedback / swing(ArmFeedforward(model, DOFS, PATH, lead=0.05)) >= 50.0
    assert feedback / swing(ArmFeedforward(model, DOFS, PATH, lead=0.05, mass_scale=1.05)) >= 10.0


def test_models_and_dofs_that_cannot_work_are_refused():
    with pytest.raises(ModelError, match="hinges or slides"):
        ArmFeedforward(robot(), np.array([3]))
    with pytest.raises(InputError, match="mass_scale"):
        ArmFeedforward(robot(), DOFS, mass_scale=0.0)
    with pytest.raises(InputError, match="not joints of the base's tree"):
        ArmFeedforward(robot(), np.array([-1]))
    with pytest.raises(InputError, match="a path of 3 joints for 2 dofs"):
        ArmFeedforward(robot(), DOFS[:2], PATH)
    for meas in ({}, {"q": np.zeros(3), "qd": np.zeros(3), "qdd": np.zeros(2)}):
        with pytest.raises(InputError, match="must be measured"):
            ArmFeedforward(robot(), DOFS).update(0.0, meas)
