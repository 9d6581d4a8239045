"""Forces of contacts at an instant."""

from __future__ import annotations

import numpy as np
import pytest

import freefloat as ff
from freefloat.contact import Contact, SpringDamper
from freefloat.engine.pushes import Push, contacts_of, pushes_of


def test_an_arrow_grows_by_its_scale_with_each_factor_of_ten() -> None:
    push = Push("touch.0", "", np.zeros(3), np.array([0.0, 99.0, 0.0]))
    assert push.length() == pytest.approx(0.2)
    assert push.length(0.5) == pytest.approx(1.0)


def test_pairs_that_do_not_push_have_no_arrow() -> None:
    f, p = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 2.0]]), np.ones((2, 3))
    assert [push.pair for push in pushes_of("touch", "", f, p)] == ["touch.1"]


def test_a_contact_is_found_by_its_force_and_its_point() -> None:
    assert contacts_of(["a.f_W", "a.p_WC", "b.f_W", "c.p_WC"]) == ["a"]


def test_the_scene_of_a_run_has_the_forces_of_that_instant() -> None:
    start = ff.Motion(ff.Pose(np.eye(3), (0.0, 0.0, 0.05)), v_WL=(0.0, 0.0, -1.0))
    box = ff.RigidBody("box", 1.0, size=(0.1, 0.1, 0.1), motion=start)
    result = ff.Mission(
        [box, Contact("touch", "world", "box", SpringDamper(1e4))], integrator=ff.RK4("auto"), record_rate=1e3
    ).run(0.1)
    (t,) = {touch.t + 0.5 * touch.duration for touch in result.touches[:1]}
    pushes = result.scene_at(t).pushes
    assert {push.pair for push in pushes} == {f"touch.{k}" for k in (0, 2, 4, 6)}
    assert all(push.f_W[2] > 1.0 and abs(push.p_WC[2]) < 0.01 for push in pushes)
    assert list(result.scene_at(0.1).pushes) == []
