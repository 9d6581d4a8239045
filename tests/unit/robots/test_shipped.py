from __future__ import annotations

import math

import mujoco
import numpy as np
import pytest

from freefloat.engine.graph import Link, LinkGraph
from freefloat.engine.tree import compile_tree
from freefloat.errors import InputError
from freefloat.frames import Pose
from freefloat.gnc.control.free_floating import generalised_inertia
from freefloat.inertia import parallel_axis
from freefloat.robots import asset, asset_names, load_robot, load_urdf

WHITE, DARK = (0.93, 0.93, 0.95, 1.0), (0.16, 0.17, 0.20, 1.0)


def mujoco_model(name: str) -> mujoco.MjModel:
    """MuJoCo's own reading of a shipped file. Its importer melts the root link into the world, so hang the root
    from one more link.
    """
    text = asset(name).read_text(encoding="utf-8")
    root = load_urdf(asset(name)).root
    extra = f"""
      <mujoco><compiler fusestatic="false" discardvisual="false"/></mujoco>
      <link name="world"/>
      <joint name="world_to_base" type="floating"><parent link="world"/><child link="{root}"/></joint>
    </robot>"""
    return mujoco.MjSpec.from_string(text.replace("</robot>", extra)).compile()


def by_name(graph: LinkGraph) -> dict[str, Link]:
    return {link.name: link for link in graph.links}


def test_the_shipped_files_are_found_with_and_without_their_ending() -> None:
    assert asset_names() == ["arm7.urdf", "kr16_2.urdf", "planar_two_link.urdf", "walking_manipulator.urdf"]
    assert asset("arm7") == asset("arm7.urdf")
    assert asset("arm7").is_file()


def test_an_unknown_file_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(InputError, match=r"unknown robot file 'arm6'. Did you mean 'arm7'\?"):
        asset("arm6")


@pytest.mark.parametrize("name", asset_names())
def test_masses_and_inertias_agree_with_mujocos_importer(name: str) -> None:
    model = mujoco_model(name)
    links = by_name(load_urdf(asset(name)))
    assert sum(link.mass for link in links.values()) == pytest.approx(float(model.body_mass.sum()), rel=1e-12)
    for link in links.values():
        body = model.body(link.name)
        R = np.zeros(9)
        mujoco.mju_quat2Mat(R, body.iquat)
        I_theirs = R.reshape(3, 3) @ np.diag(body.inertia) @ R.reshape(3, 3).T
        assert link.mass == pytest.approx(float(body.mass[0]), rel=1e-12)
        np.testing.assert_allclose(link.p_LLcm, body.ipos, atol=1e-12)
        np.testing.assert_allclose(link.I_LLcm_L, I_theirs, atol=1e-10)


@pytest.mark.parametrize("name", asset_names())
def test_forward_kinematics_agree_with_mujocos_importer_at_random_angles(name: str, forward_kinematics) -> None:
    model, graph = mujoco_model(name), load_urdf(asset(name))
    data = mujoco.MjData(model)
    rng = np.random.default_rng(7)
    for _ in range(20):
        q = {joint.name: float(rng.uniform(-math.pi, math.pi)) for joint in graph.joints}
        for joint, value in q.items():
            data.joint(joint).qpos = value
        mujoco.mj_kinematics(model, data)
        for frame, X_WF in forward_kinematics(graph, q).items():
            body = data.body(frame)
            np.testing.assert_allclose(X_WF.p, body.xpos, atol=1e-12)
            np.testing.assert_allclose(X_WF.R, body.xmat.reshape(3, 3), atol=1e-12)


def test_arm7_alternates_roll_and_pitch_and_reaches_two_metres(forward_kinematics) -> None:
    graph = load_urdf(asset("arm7"))
    axes = ["xyz"[int(np.argmax(np.abs(joint.axis)))] for joint in graph.joints]
    assert axes == list("zyzyzyz")
    np.testing.assert_allclose(forward_kinematics(graph, {})["tool"].p, [0.0, 0.0, 2.0], atol=1e-12)
    assert sum(link.mass for link in graph.links) == pytest.approx(60.0, abs=1.0)
    for joint, axis in zip(graph.joints, axes, strict=True):
        assert joint.upper == pytest.approx(math.radians(170.0 if axis == "z" else 135.0), rel=1e-12)
        assert joint.lower == -joint.upper
        assert joint.effort == 100.0
        assert joint.velocity == pytest.approx(math.radians(20.0), rel=1e-12)


@pytest.mark.parametrize("link", load_urdf(asset("arm7")).links, ids=lambda link: link.name)
def test_arm7_mass_properties_are_those_of_its_visible_cylinders(link: Link) -> None:
    """White: tube, wall 4 mm, 2700 kg/m^3. Dark: solid, 3200 kg/m^3 (comment of the file)."""
    solids = []
    for shape in link.shapes:
        assert shape.kind == "cylinder"
        assert shape.rgba in (WHITE, DARK)
        r, length = shape.size[0], 2.0 * shape.size[1]
        density, bore = (2700.0, r - 0.004) if shape.rgba == WHITE else (3200.0, 0.0)
        m = density * math.pi * (r**2 - bore**2) * length
        across = m * (3.0 * (r**2 + bore**2) + length**2) / 12.0
        I_G = np.diag([across, across, m * (r**2 + bore**2) / 2.0])
        solids.append((m, shape.X_LG.p, shape.X_LG.R @ I_G @ shape.X_LG.R.T))
    mass = sum(m for m, _, _ in solids)
    p_LLcm = sum((m * p for m, p, _ in solids), np.zeros(3)) / mass
    I_LLcm = sum((parallel_axis(I_cm, m, p - p_LLcm) for m, p, I_cm in solids), np.zeros((3, 3)))
    assert link.mass == pytest.approx(mass, rel=1e-8)
    np.testing.assert_allclose(link.p_LLcm, p_LLcm, atol=1e-9)
    np.testing.assert_allclose(link.I_LLcm_L, I_LLcm, atol=1e-9)


def test_planar_two_link_has_the_parameters_of_papadopoulos_and_dubowsky(forward_kinematics) -> None:
    graph = load_urdf(asset("planar_two_link"))
    assert [link.mass for link in graph.links] == [40.0, 4.0, 3.0]
    assert [float(link.I_LLcm_L[2, 2]) for link in graph.links] == [6.667, 0.333, 0.25]
    assert [link.p_LLcm.tolist() for link in graph.links] == [[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.5, 0.0, 0.0]]
    X = forward_kinematics(graph, {})
    assert [float(X[name].p[0]) for name in ("base", "link1", "link2", "tool")] == [0.0, 0.5, 1.5, 2.5]
    assert all(joint.axis.tolist() == [0.0, 0.0, 1.0] for joint in graph.joints)
    assert all(math.isinf(joint.upper) for joint in graph.joints)


HALF_TURN = Pose.from_rpy((math.pi, 0.0, 0.0))


@pytest.fixture(scope="module")
def graph() -> LinkGraph:
    return load_robot("walking_manipulator")


def random_angles(graph: LinkGraph, rng: np.random.Generator) -> dict[str, float]:
    return {j.name: float(rng.uniform(j.lower, j.upper)) for j in graph.joints}


def reversed_angles(q: dict[str, float]) -> dict[str, float]:
    return dict(zip(q, reversed(q.values()), strict=True))


def test_it_has_the_length_mass_and_limits_of_its_specification(graph: LinkGraph, forward_kinematics) -> None:
    assert ["xyz"[int(np.argmax(j.axis))] for j in graph.joints] == list("zyzyzyz")
    X = forward_kinematics(graph, {})
    assert (X["end_a"].inverse() @ X["end_b"]).is_close(Pose(HALF_TURN.R, (0.0, 0.0, -1.6)), 1e-12)
    pitch = [float(X[j.child].p[2]) for j in graph.joints if j.axis[1] == 1.0]
    assert np.diff([0.0, *pitch, 1.6]) == pytest.approx([0.15, 0.65, 0.65, 0.15], abs=1e-12)
    assert sum(link.mass for link in graph.links) == pytest.approx(14.0, rel=1e-12)
    assert all(j.effort == 100.0 and j.velocity == pytest.approx(math.radians(20.0)) for j in graph.joints)
    assert all(j.lower == -j.upper for j in graph.joints)


def test_both_end_frames_look_away_from_the_robot(graph: LinkGraph, forward_kinematics) -> None:
    X = forward_kinematics(graph, {})
    assert graph.root == "hand_a"
    assert X["end_a"].R[:, 2] == pytest.approx([0.0, 0.0, -1.0], abs=1e-15)
    assert X["end_b"].R[:, 2] == pytest.approx([0.0, 0.0, 1.0], abs=1e-15)


def test_seen_from_end_b_at_reversed_angles_it_is_the_robot_seen_from_end_a(
    graph: LinkGraph, forward_kinematics
) -> None:
    rng = np.random.default_rng(4)
    for _ in range(20):
        q = random_angles(graph, rng)
        X, Y = forward_kinematics(graph, q), forward_kinematics(graph, reversed_angles(q))
        X_AB, Y_BA = X["end_a"].inverse() @ X["end_b"], Y["end_b"].inverse() @ Y["end_a"]
        assert X_AB.is_close(Y_BA, 1e-12)
        for link, twin in zip(graph.links, reversed(graph.links), strict=True):
            cm = X["end_a"].inverse() @ X[link.name]
            twin_cm = Y["end_b"].inverse() @ Y[twin.name]
            assert cm.apply(link.p_LLcm) == pytest.approx(twin_cm.apply(twin.p_LLcm), abs=1e-9)
            I_A = cm.R @ link.I_LLcm_L @ cm.R.T
            I_B = twin_cm.R @ twin.I_LLcm_L @ twin_cm.R.T
            np.testing.assert_allclose(I_A, I_B, atol=1e-9)
            assert link.mass == pytest.approx(twin.mass, rel=1e-12)


def test_the_joints_feel_the_same_inertia_from_either_end(graph: LinkGraph) -> None:
    rng = np.random.default_rng(5)
    trees = {end: compile_tree(graph.links, graph.joints, (), [f"hand_{end}"]) for end in "ab"}
    dofs = {end: np.array([tree.rate[j.name] for j in graph.joints]) for end, tree in trees.items()}
    for _ in range(10):
        q = random_angles(graph, rng)
        for name, angle in q.items():
            trees["a"].data.joint(name).qpos = angle
        for name, angle in reversed_angles(q).items():
            trees["b"].data.joint(name).qpos = angle
        M_a, M_b = (generalised_inertia(trees[e].model, trees[e].data, dofs[e]) for e in "ab")
        assert M_a == pytest.approx(M_b[::-1, ::-1], rel=0.0, abs=1e-8)


def test_the_shapes_of_both_halves_are_images_of_each_other(graph: LinkGraph, forward_kinematics) -> None:
    X = forward_kinematics(graph, {})
    middle = Pose(HALF_TURN.R, (0.0, 0.0, 1.6))
    for link, twin in zip(graph.links, reversed(graph.links), strict=True):
        theirs = [(s, middle @ X[twin.name] @ s.X_LG) for s in twin.shapes]
        assert len(link.shapes) == len(theirs)
        for shape in link.shapes:
            here = (X[link.name] @ shape.X_LG).p
            same = [s for s, X_RG in theirs if np.allclose(X_RG.p, here, atol=1e-9)]
            assert [(s.kind, s.size, s.rgba) for s in same] == [(shape.kind, shape.size, shape.rgba)]


@pytest.mark.parametrize("name", asset_names())
def test_a_shipped_robot_needs_no_notes(name: str) -> None:
    graph = load_robot(asset(name))
    assert (graph.notes, graph.skipped, graph.couplings, dict(graph.floating)) == ((), (), (), {})
