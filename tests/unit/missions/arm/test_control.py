"""The onboard model of arm missions."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import freefloat as ff
from freefloat.engine.blueprint import draw
from freefloat.errors import InputError
from freefloat.gnc.control.free_floating import generalised_jacobian
from freefloat.missions.arm.control import onboard_model
from freefloat.robots import asset, load_urdf

LIFT = ff.Pose.from_rpy(("30 deg", 0, 0), ("10 cm", 0, "20 cm"))


def test_named_frames_are_in_the_onboard_model_where_the_plant_has_them() -> None:
    graph = load_urdf(asset("planar_two_link"))
    last = graph.links[-1]
    graph = ff.LinkGraph(
        (*graph.links[:-1], ff.Link(last.name, last.mass, last.p_LLcm, last.I_LLcm_L, frames={"lifted": LIFT})),
        graph.joints,
        graph.root,
    )
    arm = ff.Arm("arm", graph, q=("20 deg", "-0.4"))
    session = ff.Mission([arm]).session()
    tree = onboard_model(draw([arm]))
    model, data = tree.model, tree.data
    for joint, q in zip(("arm.shoulder", "arm.elbow"), session.read("arm.q"), strict=True):
        data.qpos[tree.coordinate[joint]] = q
    mujoco.mj_kinematics(model, data)
    site = data.site("arm.lifted")
    X_WF = session.pose("arm.lifted")
    assert np.allclose(site.xpos, X_WF.p, atol=1e-14)
    assert np.allclose(site.xmat.reshape(3, 3), X_WF.R, atol=1e-14)
    assert generalised_jacobian(model, data, "arm.lifted").shape == (6, 2)
    with pytest.raises(InputError, match=r"arm\.lifted"):
        generalised_jacobian(model, data, "arm.lifte")
