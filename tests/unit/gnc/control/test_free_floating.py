import mujoco
import numpy as np
import pytest
from scipy.optimize import brentq

from freefloat.errors import InputError, ModelError
from freefloat.frames import so3_log
from freefloat.gnc.control import free_floating as ff
from freefloat.verify.models import mujoco_model, random_state, random_tree, set_state
from freefloat.verify.oracles import newton_euler
from freefloat.verify.oracles.newton_euler import TreeState
from freefloat.verify.oracles.two_link import TwoLink


def planar_two_link() -> tuple[mujoco.MjModel, mujoco.MjData]:
    """The robot of Papadopoulos and Dubowsky (1993), on a base that starts away from the origin."""
    spec = mujoco.MjSpec()
    base = spec.worldbody.add_body(name="base", mass=40.0, inertia=[4, 4, 6.667], explicitinertial=True)
    base.add_joint(type=mujoco.mjtJoint.mjJNT_FREE, align=mujoco.mjtAlignFree.mjALIGNFREE_FALSE)
    arm, offset = base, 0.5
    for name, mass, spin in (("link1", 4.0, 0.333), ("link2", 3.0, 0.25)):
        arm = arm.add_body(
            name=name,
            pos=[offset, 0, 0],
            mass=mass,
            ipos=[0.5, 0, 0],
            inertia=[spin, spin, spin],
            explicitinertial=True,
        )
        arm.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=[0, 0, 1])
        offset = 1.0
    arm.add_site(name="tip", pos=[1.0, 0, 0])
    model = spec.compile()
    return model, mujoco.MjData(model)


@pytest.fixture(params=range(3))
def arm(request: pytest.FixtureRequest):
    """A random serial-and-branched tree of eight links: seven arm dofs, in a random state."""
    rng = np.random.default_rng(request.param)
    graph = random_tree(rng, 8, ("revolute",))
    state = random_state(rng, graph)
    model = mujoco_model(graph)
    data = mujoco.MjData(model)
    set_state(model, data, state)
    return graph, state, model, data


def arm_rates(model, data) -> np.ndarray:
    return data.qvel[ff.system_arm_dofs(model)].copy()


def test_momentum_map_gives_the_momenta_of_an_independent_formulation(arm):
    graph, state, model, data = arm
    rates = np.concatenate([state.V_WR_W, arm_rates(model, data)])
    expected = newton_euler.momenta(graph, state)
    np.testing.assert_allclose(ff.momentum_map(model, data) @ rates, expected, atol=1e-12 * np.abs(expected).max())


def test_angular_momentum_about_the_centre_of_mass_ignores_translation(arm):
    *_, model, data = arm
    H = ff.momentum_map(model, data)
    np.testing.assert_allclose(H[:3, 3:6], 0.0, atol=1e-12)
    np.testing.assert_allclose(H[3:, 3:6], model.body_subtreemass[1] * np.eye(3), atol=1e-12)


def test_zero_momentum_twist_leaves_no_momentum(arm):
    graph, state, model, data = arm
    V = ff.zero_momentum_base_twist(model, data, arm_rates(model, data))
    still = TreeState(X_WR=state.X_WR, V_WR_W=V, q=state.q, qd=state.qd)
    scale = np.abs(newton_euler.momenta(graph, state)).max()
    np.testing.assert_allclose(newton_euler.momenta(graph, still), 0.0, atol=1e-12 * scale)


def test_zero_momentum_twists_of_many_rates_are_rows(arm):
    *_, model, data = arm
    rates = np.random.default_rng(0).normal(size=(5, 7))
    rows = ff.zero_momentum_base_twist(model, data, rates)
    assert rows.shape == (5, 6)
    np.testing.assert_allclose(rows[3], ff.zero_momentum_base_twist(model, data, rates[3]), atol=1e-14)


def test_base_qvel_is_the_free_joint_velocity_of_the_same_twist(arm):
    _, state, model, data = arm
    np.testing.assert_allclose(ff.base_qvel(model, data, state.V_WR_W), data.qvel[:6], atol=1e-14)


def test_generalised_jacobian_is_the_finite_difference_along_the_zero_momentum_flow(arm):
    *_, model, data = arm
    frame = model.body(model.nbody - 1).name
    J = ff.generalised_jacobian(model, data, frame)
    start = data.qpos.copy()
    step = 1e-5
    for column, dof in enumerate(ff.system_arm_dofs(model)):
        data.qpos[:] = start
        qvel = np.zeros(model.nv)
        qvel[:6] = ff.base_qvel(model, data, ff.base_coupling(model, data)[:, column])
        qvel[dof] = 1.0
        poses = []
        for side in (-step, step):
            data.qpos[:] = start
            mujoco.mj_integratePos(model, data.qpos, qvel, side)
            mujoco.mj_kinematics(model, data)
            poses.append((data.body(frame).xpos.copy(), data.body(frame).xmat.reshape(3, 3).copy()))
        (p0, R0), (p1, R1) = poses
        difference = np.concatenate([so3_log(R1 @ R0.T), p1 - p0]) / (2.0 * step)
        np.testing.assert_allclose(J[:, column], difference, atol=2e-9)


def test_reaction_null_space_moves_neither_attitude_nor_position_of_the_base(arm):
    *_, model, data = arm
    N = ff.reaction_null_space(model, data)
    assert N.shape == (7, 1)
    np.testing.assert_allclose(N.T @ N, np.eye(1), atol=1e-14)
    np.testing.assert_allclose(ff.zero_momentum_base_twist(model, data, N.T), 0.0, atol=1e-12)


def test_attitude_null_space_keeps_the_attitude_and_lets_the_base_translate(arm):
    *_, model, data = arm
    N = ff.attitude_null_space(model, data)
    assert N.shape == (7, 4)
    np.testing.assert_allclose(N.T @ N, np.eye(4), atol=1e-14)
    twists = ff.zero_momentum_base_twist(model, data, N.T)
    np.testing.assert_allclose(twists[:, :3], 0.0, atol=1e-12)
    assert np.abs(twists[:, 3:]).max() > 1e-3


def test_a_dof_left_out_of_the_arm_counts_as_locked(arm):
    *_, model, data = arm
    dofs = ff.system_arm_dofs(model)
    chosen = dofs[[0, 2, 5]]
    np.testing.assert_array_equal(
        ff.generalised_jacobian(model, data, "link7", chosen),
        ff.generalised_jacobian(model, data, "link7")[:, [0, 2, 5]],
    )


def test_planar_generalised_jacobian_equals_the_one_derived_by_hand():
    model, data = planar_two_link()
    rng = np.random.default_rng(3)
    for _ in range(20):
        x, y, th, q1, q2 = q = rng.uniform(-np.pi, np.pi, 5)
        data.qpos[:] = [x, y, 0, np.cos(th / 2), 0, 0, np.sin(th / 2), q1, q2]
        ours = ff.generalised_jacobian(model, data, "tip")
        np.testing.assert_allclose(ours[3:5], TwoLink().generalised_jacobian(q), atol=1e-13)


def test_dynamic_singularity_lies_where_papadopoulos_and_dubowsky_found_it():
    model, data = planar_two_link()

    def measure(q2_deg: float) -> ff.DynamicSingularity:
        data.qpos[7:] = np.deg2rad([-65.0, q2_deg])
        return ff.dynamic_singularity(model, data, "tip", rows=(3, 4))

    q2 = brentq(lambda x: measure(x).determinant, -30.0, -1.0, xtol=1e-10)
    assert abs(q2 - -11.4108) <= 1e-3
    assert measure(q2).smallest_singular_value < 1e-10
    assert measure(q2 + 5.0).smallest_singular_value > 1e-2


def test_dynamic_singularity_does_not_depend_on_the_pose_of_the_base(arm):
    *_, model, data = arm
    before = ff.dynamic_singularity(model, data, "link7")
    data.qpos[:7] = [3.0, -2.0, 1.0, 0.5, -0.5, 0.1, 0.7]
    after = ff.dynamic_singularity(model, data, "link7")
    assert after.smallest_singular_value == pytest.approx(before.smallest_singular_value, rel=1e-6, abs=1e-12)


def test_determinant_is_nan_for_a_task_that_is_not_square_and_too_few_joints_are_singular():
    model, data = planar_two_link()
    assert np.isnan(ff.dynamic_singularity(model, data, "tip", rows=(3,)).determinant)
    assert ff.dynamic_singularity(model, data, "tip").smallest_singular_value == 0.0


def test_a_second_free_body_is_no_part_of_the_system():
    spec = mujoco.MjSpec()
    for name in ("chaser", "target"):
        body = spec.worldbody.add_body(name=name, mass=10.0, inertia=[1, 1, 1], explicitinertial=True)
        body.add_joint(type=mujoco.mjtJoint.mjJNT_FREE)
    arm = spec.body("chaser").add_body(name="arm", mass=1.0, inertia=[0.1, 0.1, 0.1], explicitinertial=True)
    arm.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE)
    model = spec.compile()
    assert ff.system_arm_dofs(model).tolist() == [6]
    assert ff.momentum_map(model, mujoco.MjData(model))[3:, 3:6] == pytest.approx(11.0 * np.eye(3))


def test_unknown_frame_names_the_nearest():
    model, data = planar_two_link()
    with pytest.raises(InputError, match=r"unknown site or body 'tipp'.*Did you mean 'tip'"):
        ff.generalised_jacobian(model, data, "tipp")


def test_a_model_without_free_joint_is_refused():
    spec = mujoco.MjSpec()
    spec.worldbody.add_body(mass=1.0, inertia=[1, 1, 1], explicitinertial=True).add_joint()
    model = spec.compile()
    with pytest.raises(ModelError, match="free joint"):
        ff.momentum_map(model, mujoco.MjData(model))


@pytest.mark.parametrize("dofs", [[0], [6, 99], [[6]], [6.5], []])
def test_arm_dofs_outside_the_arm_are_refused(dofs):
    model, data = planar_two_link()
    with pytest.raises(InputError, match="arm_dofs"):
        ff.momentum_map(model, data, dofs)


def test_rates_of_the_wrong_length_are_refused():
    model, data = planar_two_link()
    with pytest.raises(InputError, match="qdot"):
        ff.zero_momentum_base_twist(model, data, [1.0, 2.0, 3.0])
