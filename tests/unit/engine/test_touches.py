"""Every contact is noted in compiled code and told: table, figures, event log; snapshots hold what is under way."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.contact import Contact, HuntCrossley, Impulse, SpringDamper, StickingFriction
from freefloat.verify.parts import FreeBall

G = 9.81  # [m/s^2]


def falling(law: Any, friction: Any = None, step: float = 5e-4, **settings: Any) -> ff.Mission:
    """A ball of 1 kg that falls 50 mm on the ground, with a push aside."""
    start = ff.Motion(ff.Pose(np.eye(3), [0.0, 0.0, 0.15]), v_WL=(0.2, 0.0, 0.0))
    ground = Contact("ground", "world", "ball", law, friction)
    rows = [ff.uniform_gravity((0.0, 0.0, -G))]
    parts = [FreeBall("ball", 1.0, motion=start), ground]
    return ff.Mission(parts, rows=rows, integrator=ff.RK4(step), record_rate=1000.0, **settings)


def test_a_bounce_is_a_row_two_events_and_three_figures() -> None:
    result = falling(HuntCrossley(1e4, 0.3, 1.0)).run(0.3, strict=True)
    speed = math.sqrt(2.0 * G * 0.05)
    first = result.contacts.row(0, named=True)
    assert first["contact"] == "ground.0"
    assert first["t"] == pytest.approx(speed / G, abs=1e-9)
    assert first["speed"] == pytest.approx(speed, abs=1e-9)
    assert first["ended"]
    force = result["ground.force"][:, 0]
    assert force.max() <= first["peak_force"] <= 1.001 * force.max()
    assert -result["ground.gap"].min() <= first["penetration"] <= 1.001 * -result["ground.gap"].min()
    assert result.contacts["impulse"].sum() == pytest.approx(np.trapezoid(force, result.time("ground.force")), rel=1e-3)
    assert result.metrics["contacts"] == len(result.contacts) == 2
    assert result.metrics["contact_energy_lost_J"] == pytest.approx(result.audit.amounts["heat_J"], rel=1e-9)
    assert result.metrics["peak_contact_force_N"] == result.contacts["peak_force"].max()
    told = [(fired.name, fired.result.split()[0]) for fired in result.events]
    assert told[:2] == [("ground.0", "touch"), ("ground.0", "parted:")]
    assert [fired.t for fired in result.events] == sorted(fired.t for fired in result.events)


def test_a_contact_that_goes_on_is_told_up_to_now() -> None:
    result = falling(SpringDamper(1e4, 50.0)).run(2.0, strict=True)
    last = result.contacts.row(-1, named=True)
    assert not last["ended"]
    assert last["t"] + last["duration"] == pytest.approx(2.0)


def test_without_contact_parts_there_are_no_figures() -> None:
    result = ff.Mission([FreeBall("ball")]).run(0.1)
    assert "contacts" not in result.metrics
    assert len(result.contacts) == 0


@pytest.mark.parametrize(
    ("law", "friction"),
    [
        (HuntCrossley(1e4, 0.3, 1.0), StickingFriction(0.3, 5e3, 20.0)),
        (Impulse(0.6, 1e4, 50.0), None),
    ],
)
def test_a_run_restored_in_the_middle_of_a_contact_gives_the_same(law: Any, friction: Any, tmp_path: Path) -> None:
    mission = falling(law, friction)
    whole = mission.run(0.5)
    session = mission.session()
    session.step(0.1045)  # inside the first contact
    saved = ff.Snapshot.load(session.snapshot().save(tmp_path / "snapshot"))
    session.step(0.2)
    other = mission.session()
    other.restore(saved)
    again = mission.complete(other, 0.5)
    assert again.metrics == whole.metrics
    assert again.events == whole.events
    assert again["ball.p_WB"].tobytes() == whole["ball.p_WB"].tobytes()


def test_many_contacts_between_two_pauses_are_all_told() -> None:
    """More than the memory holds at once: the run pauses and goes on."""
    quick = falling(Impulse(1.0, 1e6, rest_speed=1e-9), step=1e-3)
    result = quick.run(60.0)
    period = 2.0 * math.sqrt(2.0 * 0.05 / G)
    assert len(result.touches) == pytest.approx(60.0 / period, abs=1.0)
    assert len(result.touches) > 256
    assert [t.t for t in result.touches] == sorted(t.t for t in result.touches)


def test_links_that_are_joined_do_not_touch_and_the_springs_energy_is_booked() -> None:
    coming = ff.Motion(ff.Pose(np.eye(3), [0.205, 0.0, 0.0]), v_WL=(-0.1, 0.0, 0.0))
    parts = [FreeBall("left"), FreeBall("right", motion=coming), Contact("touch", "left", "right", SpringDamper(5e4))]
    latch = ff.Connection("latch", "left", "right")
    event = ff.Event(
        "deep", lambda s: f"{s.attach('latch'):.3g} J", signal="touch.gap", level=-0.002, direction="falling"
    )
    result = ff.Mission(parts, events=[event], connections=[latch], record_rate=1000.0).run(0.4, strict=True)
    after = result.time("touch.force") > result.events[1].t + 2e-3
    assert (result["touch.force"][after] == 0.0).all()
    assert (result["touch.mode"][after] == 0.0).all()
    assert result["left.v_WB"][-1, 0] == pytest.approx(-0.05, abs=1e-12)
    assert result.touches[0].ended
    assert result.touches[0].energy_lost == pytest.approx(0.5 * 5e4 * 0.002**2, rel=1e-6)
