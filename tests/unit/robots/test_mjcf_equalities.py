"""Equalities of joints and of tendons as couplings, against the constrained equations of MuJoCo's own model."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from freefloat.errors import ModelError
from freefloat.robots import load_mjcf

BODIES = """<mujoco><compiler angle="radian"/><worldbody><body name="a"><geom size="0.3" mass="1" pos="0.1 0 0"/>
  <joint name="one" axis="0 0 1" ref="0.2" damping="1"/><body name="b" pos="0.5 0 0">
  <joint name="two" axis="0 1 0" ref="-0.1"/><geom size="0.1" mass="1" pos="0.3 0.2 0"/><body name="c" pos="0.5 0 0">
  <joint name="three" axis="1 0 1"/><geom size="0.1" mass="1" pos="0.1 0.2 0"/></body></body></body></worldbody>
  {}</mujoco>"""
POLYNOMIAL = BODIES.format('<equality><joint joint1="two" joint2="one" polycoef="0.3 0.5 -0.2 0.1 0.05"/></equality>')
CHAIN = BODIES.format("""<tendon>
  <fixed name="s"><joint joint="one" coef="0.5"/><joint joint="two" coef="-1"/></fixed>
  <fixed name="t"><joint joint="two" coef="2"/><joint joint="three" coef="1"/></fixed></tendon>
  <equality><tendon tendon1="s" polycoef="0.1 0 0 0 0"/><tendon tendon1="t"/></equality>
  <actuator><position name="grip" tendon="t" kp="3"/><motor name="m" joint="one"/></actuator>""")


def reduced(model, data, slopes: np.ndarray, curves: np.ndarray) -> float:
    """The leader's acceleration where q = f(q0): qdd = slopes qdd0 + curves qd0^2, by d'Alembert's principle."""
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    forces = data.qfrc_passive + data.qfrc_actuator - data.qfrc_bias
    rate = data.qvel[0]
    return float(slopes @ (forces - M @ curves * rate**2) / (slopes @ M @ slopes))


def test_a_joint_equality_expands_about_both_refs_and_leads_exactly(in_mujoco, accelerations) -> None:
    graph = load_mjcf(POLYNOMIAL)
    (coupling,) = graph.couplings
    assert (coupling.joint, coupling.leader) == ("two", "one")
    law, q, qd = np.polynomial.Polynomial(coupling.coefficients), 0.7, 1.3
    d = q - 0.2
    assert law(q) == pytest.approx(-0.1 + 0.3 + 0.5 * d - 0.2 * d**2 + 0.1 * d**3 + 0.05 * d**4, rel=1e-14)
    slope, curve = float(law.deriv()(q)), float(law.deriv(2)(q))
    state = {"one": (q, qd), "two": (float(law(q)), slope * qd), "three": (0.4, 0.0)}, []
    model, data = in_mujoco(POLYNOMIAL, state)
    ours = accelerations(graph, state)
    assert ours["two"] == pytest.approx(slope * ours["one"] + curve * qd**2, rel=1e-9)
    # the third joint is free: take its acceleration out of the reduced equations by solving for both
    M = np.zeros((3, 3))
    mujoco.mj_fullM(model, data, M)
    S = np.array([[1.0, 0.0], [slope, 0.0], [0.0, 1.0]])
    forces = data.qfrc_passive - data.qfrc_bias - M @ np.array([0.0, curve * qd**2, 0.0])
    expected = np.linalg.solve(S.T @ M @ S, S.T @ forces)
    assert [ours["one"], ours["three"]] == pytest.approx(expected.tolist(), rel=1e-9)


def test_tendons_of_two_joints_lead_in_a_chain_and_carry_actuators(in_mujoco, accelerations) -> None:
    graph = load_mjcf(CHAIN)
    assert {(c.joint, c.leader) for c in graph.couplings} == {("two", "one"), ("three", "one")}
    laws = {c.joint: np.polynomial.Polynomial(c.coefficients) for c in graph.couplings}
    q = 0.9
    lengths = [0.5 * q - float(laws["two"](q)), 2.0 * float(laws["two"](q)) + float(laws["three"](q))]
    assert lengths == pytest.approx([0.5 * 0.2 + 0.1 + 0.1, -0.2], rel=1e-12), "length0 + a0 of each"
    slopes = np.array([1.0, laws["two"].deriv()(q), laws["three"].deriv()(q)])
    rates, control = 0.8 * slopes, [0.6, -0.3]
    state = (
        {
            "one": (q, float(rates[0])),
            "two": (float(laws["two"](q)), float(rates[1])),
            "three": (float(laws["three"](q)), float(rates[2])),
        },
        control,
    )
    model, data = in_mujoco(CHAIN, state)
    assert [a.joint for a in graph.actuators] == ["one", "one"]
    ours = accelerations(graph, state)
    assert ours["one"] == pytest.approx(reduced(model, data, slopes, np.zeros(3)), rel=1e-9)


OTHERS = {
    "one joint": ('<joint joint1="one"/>', "an equality that holds one joint"),
    "connect": ('<connect body1="c" anchor="0 0 0"/>', "<connect>: an equality of the kind connect"),
    "twice": (
        '<joint joint1="two" joint2="one"/><joint joint1="two" joint2="three"/>',
        "an equality of joints that others already tie",
    ),
    "in a ring": (
        '<joint joint1="two" joint2="one"/><joint joint1="one" joint2="two"/>',
        "an equality of joints that others already tie",
    ),
    "too steep": (
        '<joint joint1="two" joint2="one" polycoef="0 1 0 1 0"/><joint joint1="three" joint2="two" '
        'polycoef="0 1 1 0 0"/>',
        "steeper than the fourth power",
    ),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_other_equalities_are_refused_or_left_out_by_name(kind: str) -> None:
    own, message = OTHERS[kind]
    text = BODIES.format(f"<equality>{own}</equality>")
    with pytest.raises(ModelError) as caught:
        load_mjcf(text)
    assert message in str(caught.value)
    assert len(load_mjcf(text, unsupported="skip").skipped) == 1


def test_an_equality_that_starts_inactive_is_noted() -> None:
    graph = load_mjcf(BODIES.format('<equality><joint joint1="two" joint2="one" active="false"/></equality>'))
    assert graph.couplings == ()
    assert any("starts inactive and is left out" in note for note in graph.notes)
