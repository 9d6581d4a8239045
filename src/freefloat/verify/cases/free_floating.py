"""Kinematics and dynamics of robots on a base that nothing holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import mujoco
import numpy as np
from scipy.optimize import brentq

from freefloat.gnc.control import free_floating
from freefloat.verify.case import Row, case, within
from freefloat.verify.models import mujoco_model, planar_two_link
from freefloat.verify.oracles.two_link import TwoLink

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Q1_DEG = -65.0
BRACKET_DEG = (-30.0, -1.0)
PUBLISHED_Q2_DEG = -11.4108


@case(
    "dynamic-singularity", source="Papadopoulos and Dubowsky 1993, planar two-link; -11.41 deg recomputed to six digits"
)
def dynamic_singularity() -> Iterator[Row]:
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
