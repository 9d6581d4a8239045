import numpy as np
import pytest
import sympy as sp

from freefloat.verify.oracles.two_link import TwoLink

ROBOT = TwoLink(masses=(40.0, 4.0, 3.0), inertias=(6.667, 0.333, 0.25), r0=0.5, l1=0.4, r1=0.6, l2=0.3, r2=0.7)


@pytest.fixture(scope="module")
def lagrange():
    """(M, c, J_tip) of ROBOT derived by SymPy from the kinetic energy alone, as functions of (q, v)."""
    t = sp.Symbol("t")
    names = "x y th q1 q2"
    q = sp.Matrix([sp.Function(n)(t) for n in names.split()])
    Q, V = sp.Matrix(sp.symbols(names)), sp.Matrix(sp.symbols("vx vy vth v1 v2"))

    def along(angle):
        return sp.Matrix([sp.cos(angle), sp.sin(angle)])

    f0, f1, f2 = q[2], q[2] + q[3], q[2] + q[3] + q[4]
    c0 = q[:2, 0]
    joint1 = c0 + ROBOT.r0 * along(f0)
    joint2 = joint1 + (ROBOT.l1 + ROBOT.r1) * along(f1)
    centres = [c0, joint1 + ROBOT.l1 * along(f1), joint2 + ROBOT.l2 * along(f2)]
    tip = joint2 + (ROBOT.l2 + ROBOT.r2) * along(f2)
    T = sum(
        m * c.diff(t).dot(c.diff(t)) / 2 + inertia * f.diff(t) ** 2 / 2
        for m, inertia, c, f in zip(ROBOT.masses, ROBOT.inertias, centres, (f0, f1, f2), strict=True)
    )
    plain = [*zip(q.diff(t), V, strict=True), *zip(q, Q, strict=True)]
    L = T.subs(plain)
    momentum = sp.Matrix([L.diff(v) for v in V])
    M = momentum.jacobian(V)
    c = momentum.jacobian(Q) * V - sp.Matrix([L.diff(x) for x in Q])
    J = tip.subs(plain).jacobian(Q)
    return sp.lambdify((list(Q), list(V)), (M, c, J), "numpy")


@pytest.mark.parametrize("seed", range(10))
def test_mass_matrix_and_bias_are_those_of_lagranges_equations(lagrange, seed):
    rng = np.random.default_rng(seed)
    q, v = rng.uniform(-np.pi, np.pi, 5), rng.normal(size=5)
    M, c, _ = lagrange(q, v)
    np.testing.assert_allclose(ROBOT.mass_matrix(q), M, atol=1e-13)
    np.testing.assert_allclose(ROBOT.bias(q, v), np.ravel(c), atol=1e-12)
    forces = rng.normal(size=5)
    np.testing.assert_allclose(ROBOT.accelerations(q, v, forces), np.linalg.solve(M, forces - np.ravel(c)), atol=1e-12)


def test_generalised_jacobian_is_the_tip_velocity_at_zero_momentum(lagrange):
    rng = np.random.default_rng(0)
    q, rates = rng.uniform(-np.pi, np.pi, 5), rng.normal(size=2)
    M, _, J = lagrange(q, np.zeros(5))
    v = np.concatenate([-np.linalg.solve(M[:3, :3], M[:3, 3:] @ rates), rates])
    np.testing.assert_allclose((M @ v)[:3], 0.0, atol=1e-13)
    np.testing.assert_allclose(ROBOT.generalised_jacobian(q) @ rates, J @ v, atol=1e-13)


def test_tip_moves_with_its_jacobian():
    q, step = np.array([0.1, 0.2, 0.3, -1.1, 0.7]), 1e-6
    rates = np.array([0.3, -0.8])
    M = ROBOT.mass_matrix(q)
    v = np.concatenate([-np.linalg.solve(M[:3, :3], M[:3, 3:] @ rates), rates])
    difference = (ROBOT.tip(q + step * v) - ROBOT.tip(q - step * v)) / (2 * step)
    np.testing.assert_allclose(ROBOT.generalised_jacobian(q) @ rates, difference, atol=1e-9)


def test_power_of_the_forces_is_the_growth_of_energy():
    rng = np.random.default_rng(5)
    q, v, forces = rng.normal(size=5), rng.normal(size=5), rng.normal(size=5)
    a, step = ROBOT.accelerations(q, v, forces), 1e-6
    ahead = ROBOT.energy(q + step * v + step**2 / 2 * a, v + step * a)
    behind = ROBOT.energy(q - step * v + step**2 / 2 * a, v - step * a)
    assert (ahead - behind) / (2 * step) == pytest.approx(forces @ v, abs=1e-7)
