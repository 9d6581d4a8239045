"""Pictures of a run in which bodies touch."""

from __future__ import annotations

from pathlib import Path

import pytest

import freefloat as ff
from freefloat.view.touching import draw_touching, instants_of

CONTACTS = {name: f"touch_{name}" for name in ("ball", "box", "capsule", "can")}


def test_the_instants_begin_and_end_the_run_and_show_the_largest_force() -> None:
    result = ff.run("bounce", duration=0.6)
    times = instants_of(result, CONTACTS)
    assert times[0] == 0.0
    assert times[-1] == result.time("touch_ball.force")[-1]
    assert 4 <= len(times) <= 6
    assert any(result.pushes_at(t) for t in times)


def test_both_pictures_are_written_also_where_nothing_has_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("freefloat.view.raycast.OCCLUSION_RAYS", 1)
    result = ff.run("bounce", duration=0.05)
    made = draw_touching(result, CONTACTS, tmp_path)
    assert [path.name for path in made] == ["touching.png", "forces.png"]
    assert all(path.stat().st_size > 10_000 for path in made)
