from __future__ import annotations

import numpy as np
import pytest

from freefloat.errors import ModelError
from freefloat.inertia import check_inertia
from freefloat.robots import load_mjcf

NAMES = """<mujoco><worldbody><body name="torso.v1"><freejoint/><geom size="1"/><site name="eye"/>
  <body name="torso_v1"><joint name="my joint"/><geom size="1"/><site name="torso_v1"/></body>
  <body pos="0 0 1"><joint/><joint axis="1 0 0"/><geom size="1"/></body>
</body></worldbody><actuator><motor name="my motor" joint="my joint"/></actuator></mujoco>"""
BODY = """<mujoco><worldbody><body name="a"><inertial mass="2" pos="0 0 0" {}/></body></worldbody></mujoco>"""


def test_names_are_made_fit_for_signals_and_each_is_given_once() -> None:
    graph = load_mjcf(NAMES)
    assert [link.name for link in graph.links] == ["torso_v1_2", "torso_v1", "body3"]
    assert set(graph.links[1].frames) == {"torso_v1_site"}
    assert [j.name for j in graph.joints] == ["my_joint", "body3_joint", "body3_joint_2"]
    assert (graph.actuators[0].name, graph.actuators[0].joint) == ("my_motor", "my_joint")
    assert any("<body name='torso.v1'>: is called 'torso_v1_2' here" in note for note in graph.notes)
    assert any("<joint name='my joint'>: is called 'my_joint' here" in note for note in graph.notes)


@pytest.mark.parametrize(
    "given", ['diaginertia="1 1 2.05"', 'fullinertia="1.025 1.025 2.0 0 0 0"', 'fullinertia="1.5 1.5 1 0.55 0 0"']
)
def test_inertias_that_nearly_fit_a_body_are_balanced_where_asked(given: str) -> None:
    text = BODY.format(given)
    if given == 'fullinertia="1.025 1.025 2.0 0 0 0"':
        assert load_mjcf(text, balance=True).notes == (), "one that fits stays"
        return
    with pytest.raises(ModelError, match="MuJoCo refuses the model"):
        load_mjcf(text)
    graph = load_mjcf(text, balance=True)
    check_inertia(graph.links[0].I_LLcm_L)
    assert np.linalg.eigvalsh(graph.links[0].I_LLcm_L)[2] == pytest.approx(2.05, rel=1e-6), "the largest stays"
    assert any("<body name='a'>: principal moments" in note and "balanced" in note for note in graph.notes)


def test_an_inertia_that_is_far_off_stays_refused() -> None:
    with pytest.raises(ModelError, match="MuJoCo refuses the model"):
        load_mjcf(BODY.format('diaginertia="1 1 3"'), balance=True)
