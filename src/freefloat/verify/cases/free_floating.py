"""Kinematics and dynamics of robots on a base that nothing holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import mujoco
import numpy as np
from scipy.optimize import brentq

from freefloat.engine.session import Session
from freefloat.frames import quat_to_matrix
from freefloat.gnc.control import free_floating
from freefloat.missions.arm.control import onboard_model
from freefloat.scenario.files import load
from freefloat.verify.case import Comparison, at_most, case, within
from freefloat.verify.drawing import errors_over_time
from freefloat.verify.models import mujoco_model, planar_two_link
from freefloat.verify.oracles.two_link import TwoLink

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Q1_DEG = -65.0
BRACKET_DEG = (-30.0, -1.0)
PUBLISHED_Q2_DEG = -11.4108

SAMPLE = 0.05  # [s] between comparisons of the simulated twists
TIP = "arm.hand"  # last link that a joint of the arm moves


@case(
    "dynamic-singularity",
    source="Papadopoulos and Dubowsky, Dynamic singularities in free-floating space manipulators, 1993: -11.41 deg, "
    "recomputed to six digits",
)
def dynamic_singularity() -> Iterator[Comparison]:
    """Where the planar two-link robot on a free base cannot move its tip in some direction."""
    robot = TwoLink()
    model = mujoco_model(planar_two_link(robot))
    data = mujoco.MjData(model)

    def ours(q2_deg: float) -> float:
        data.qpos[7:] = np.deg2rad([Q1_DEG, q2_deg])
        return free_floating.dynamic_singularity(model, data, "tip", rows=(3, 4)).determinant

    def by_hand(q2_deg: float) -> float:
        return float(np.linalg.det(robot.generalised_jacobian(np.deg2rad([0.0, 0.0, 0.0, Q1_DEG, q2_deg]))))

    for how, determinant in (("generalised Jacobian on MuJoCo", ours), ("momenta written by hand", by_hand)):
        yield within(
            f"q2 where det J_g vanishes at q1 = {Q1_DEG:g} deg, {how}",
            "deg",
            published=PUBLISHED_Q2_DEG,
            ours=float(brentq(determinant, *BRACKET_DEG, xtol=1e-10)),  # pyright: ignore[reportArgumentType]
            tolerance=1e-3,
            plot=_draw_determinant(ours) if how.startswith("generalised") else None,
        )


@case(
    "zero-momentum-base-motion",
    source="Umetani and Yoshida, Resolved motion rate control of space manipulators with generalized Jacobian matrix, "
    "1989; conservation of momentum",
)
def zero_momentum_base_motion() -> Iterator[Comparison]:
    """Twists that zero momentum predicts from the joint rates against those simulated in `free-floating-arm`."""
    scenario = load("free-floating-arm", {})
    mission = scenario.build()
    session = mission.session()
    tree = onboard_model(mission.blueprint)
    d = mujoco.MjData(tree.model)
    times = np.arange(0.0, scenario.duration + 0.5 * SAMPLE, SAMPLE)
    base, tip, speed = [], [], 0.0
    for t in times:
        session.step(t - session.time)
        V_base, V_tip = _twist(session, "bus"), _twist(session, TIP)
        d.qpos[:3], d.qpos[3:7], d.qpos[7:] = (session.read(n) for n in ("bus.p_WB", "bus.q_WB", "arm.q"))
        qd = session.read("arm.qd")
        base.append(V_base - free_floating.zero_momentum_base_twist(tree.model, d, qd))
        tip.append(V_tip - free_floating.generalised_jacobian(tree.model, d, TIP) @ qd)
        speed = max(speed, float(np.abs(V_base).max()))
    errors = {"base": np.abs(base), "last link": np.abs(tip)}
    plot = errors_over_time(times, {n: e.max(axis=1) for n, e in errors.items()}, 1e-9, "twist, largest component")
    for name, error in errors.items():
        angular, linear = float(error[:, :3].max()), float(error[:, 3:].max())
        yield at_most(
            f"angular velocity of the {name}, largest error",
            "rad/s",
            ours=angular,
            tolerance=1e-9,
            plot=plot if name == "base" else None,
        )
        yield at_most(f"velocity of the {name}, largest error", "m/s", ours=linear, tolerance=1e-9)


def _twist(session: Session, link: str) -> np.ndarray:
    """V_WL_W from the signals."""
    R_WL = quat_to_matrix(session.read(f"{link}.q_WB"))
    return np.concatenate([R_WL @ session.read(f"{link}.w_WB_B"), session.read(f"{link}.v_WB")])


def _draw_determinant(determinant: Callable[[float], float]) -> Callable[[Figure], None]:
    def draw(figure: Figure) -> None:
        angles = np.linspace(-180.0, 180.0, 361)
        axes = figure.subplots()
        axes.plot(angles, [determinant(a) for a in angles])
        axes.axhline(0.0, color="0.6", linewidth=0.8)
        axes.axvline(PUBLISHED_Q2_DEG, color="tab:red", linestyle="--", linewidth=1.0, label=f"{PUBLISHED_Q2_DEG} deg")
        axes.set(xlabel="q2 [deg]", ylabel="det J_g [m^2]", xlim=(-180, 180))
        axes.legend()

    return draw
