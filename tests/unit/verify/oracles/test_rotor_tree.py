from dataclasses import replace

import numpy as np
import pytest

from freefloat.engine.graph import LinkGraph
from freefloat.errors import InputError
from freefloat.verify.models import random_state, random_tree
from freefloat.verify.oracles.newton_euler import forward_dynamics, link_motions
from freefloat.verify.oracles.rotor_tree import RotorTree


def driven_tree(rng: np.random.Generator, size: int) -> LinkGraph:
    """Some links on revolute joints in either direction, without armature."""
    graph = random_tree(rng, size, ("revolute",))
    return LinkGraph(graph.links, tuple(replace(j, armature=0.0) for j in graph.joints), graph.root)


@pytest.fixture
def tree(shoulder):
    """Four links and three drives, of which the rotors are heavier than real ones so that they matter."""
    graph = driven_tree(np.random.default_rng(1), 4)
    drives = {j.name: shoulder(motor__inertia=0.005 * (i + 1)) for i, j in enumerate(graph.joints)}
    return graph, drives


def moving(found: RotorTree, graph: LinkGraph, seed: int):
    state = random_state(np.random.default_rng(seed), graph)
    y = found.start(state)
    found.command[:] = np.arange(1.0, found.n + 1.0) * 20.0
    y[found.th_at] += 0.1
    return state, y


@pytest.mark.parametrize("seed", [2, 3, 4])
def test_accelerations_are_those_of_rotors_that_react_on_their_stators(seed, tree):
    """Newton-Euler of the bare links with tau in the joints and -T a - w x (h a) on the stators' links."""
    graph, drives = tree
    found = RotorTree(graph, drives)
    state, y = moving(found, graph, seed)
    rates = found.rates(0.0, y)
    *_, tau, T, _, _ = found._drive(y)
    bodies = link_motions(graph, state)
    wrench = {name: np.zeros(6) for name in bodies}
    for i, joint in enumerate(found.joints):
        P = bodies[joint.parent]
        a = P.X_WL.R @ joint.X_PJ.R @ joint.axis
        h = found.inertia[i] * (y[found.nq + found.Om_at[i]] + a @ P.w)
        wrench[joint.parent][:3] += -T[i] * a - np.cross(P.w, h * a)
    expected = forward_dynamics(graph, state, dict(zip(drives, tau, strict=True)), wrench)
    v_dot = rates[found.nq : found.nq + found.nv]
    np.testing.assert_allclose(v_dot[found.v_at], [expected.qdd[n] for n in drives], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(v_dot[:3], expected.A_WR_W[3:], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(state.X_WR.R @ v_dot[3:6], expected.A_WR_W[:3], rtol=1e-9, atol=1e-9)
    step = 1e-6  # h' = T = J (Omega' + (a . w)'), the last by differences along the motion
    ahead, behind = (_axial_rate(found, y + s * rates) for s in (step, -step))
    axial = T / found.inertia - v_dot[found.Om_at]
    np.testing.assert_allclose(axial, (ahead - behind) / (2.0 * step), rtol=1e-5, atol=1e-5)


def _axial_rate(found: RotorTree, y: np.ndarray) -> np.ndarray:
    """a . w of the stators' links."""
    found._place(y)
    rotors = [found.model.joint(f"rotor:{j.name}").id for j in found.joints]
    stators = [int(found.model.body_parentid[found.model.jnt_bodyid[r]]) for r in rotors]
    return np.sum(found.data.xaxis[rotors] * found.data.cvel[stators, :3], axis=1)


def test_mass_and_transverse_inertia_of_the_rotors_drop_out(tree):
    graph, drives = tree
    light, heavy = RotorTree(graph, drives, 1e-3, 0.6), RotorTree(graph, drives, 0.02, 0.9)
    _, y = moving(light, graph, 5)
    _, other = moving(heavy, graph, 5)
    np.testing.assert_array_equal(y, other)
    np.testing.assert_allclose(light.rates(0.0, y), heavy.rates(0.0, y), rtol=1e-9, atol=1e-9)


def test_momentum_and_energy_are_kept_while_drives_work(tree):
    graph, drives = tree
    found = RotorTree(graph, drives)
    start = found.start(random_state(np.random.default_rng(6), graph))
    run = found.run(start, lambda k, t, q, qd, *motors: -50.0 * qd - 5.0 * k, np.linspace(0.0, 0.02, 5), period=0.01)
    assert np.ptp(run.kinetic) > 1.0
    size = np.linalg.norm(run.angular_momentum[0])
    assert np.max(np.abs(run.angular_momentum - run.angular_momentum[0])) < 1e-9 * size
    assert np.max(np.abs(run.residual)) < 1e-8 * run.kinetic[0]
    assert np.linalg.norm(run.root[:, 3:], axis=1) == pytest.approx(np.ones(5), abs=1e-10)


def test_the_jacobian_has_what_is_stiff(tree):
    """Beside the columns of configuration and rates, which change mass matrix and bias too, it is exact."""
    graph, drives = tree
    found = RotorTree(graph, drives)
    _, y = moving(found, graph, 7)
    J = found.jacobian(0.0, y).copy()
    for column in (*found.th_at, *range(found.nq + found.nv, y.size - 2)):
        step = 1e-6 * max(abs(y[column]), 1e-3)
        ahead, behind = y.copy(), y.copy()
        ahead[column] += step
        behind[column] -= step
        expected = (found.rates(0.0, ahead) - found.rates(0.0, behind)) / (2.0 * step)
        np.testing.assert_allclose(J[:, column], expected, rtol=1e-4, atol=1e-5 * np.max(np.abs(J[:, column])) + 1e-6)


def test_drives_must_fit_the_moving_joints(tree):
    graph, drives = tree
    with pytest.raises(InputError, match="allowed: one for each moving joint"):
        RotorTree(graph, {"joint1": drives["joint1"]})
