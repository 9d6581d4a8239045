"""The observation cameras: what they have in view, and the sheet of a run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import freefloat as ff
from freefloat.errors import InputError
from freefloat.facility.cameras import CAMERAS, ObservationCamera, draw_observation, write_observation
from freefloat.facility.part import DockingFacility
from freefloat.view.picture import Instant


@pytest.fixture(scope="module")
def mission() -> ff.Mission:
    return ff.Mission([DockingFacility()], rows=[ff.uniform_gravity((0.0, 0.0, -9.81))], record_rate=100.0)


def test_each_of_the_four_has_both_mockups_in_view(mission: ff.Mission) -> None:
    s = mission.session()
    assert len(CAMERAS) == 4
    for name in set(CAMERAS) - {"client"}:
        camera = CAMERAS[name].camera(640, 400)
        x, y, _ = camera.pixels([s.read(f"epos.rob{n}.tool.p_WF") for n in (1, 2)])
        assert ((x > 0) & (x < 640) & (y > 0) & (y < 400)).all(), name
    x, y, _ = CAMERAS["client"].camera(640, 400).pixels([s.read("epos.rob2.tool.p_WF")])
    assert 160 < x[0] < 480
    assert 100 < y[0] < 300


def test_the_sheet_has_what_cameras_see(mission: ff.Mission, tmp_path: Path) -> None:
    file = tmp_path / "sheet.png"
    figure = draw_observation([Instant(0.0, mission.session().scene())], file, ["docking"], width=80, height=50)
    image = np.asarray(figure.axes[0].images[0].get_array(), np.float64)
    assert image.shape[:2] == (50, 80)
    orange = (image[..., 0] > 150) & (image[..., 2] < 80)
    gold_or_blue = image[..., 2] - image[..., 0] > 30
    assert orange.sum() > 40
    assert gold_or_blue.sum() > 5
    assert file.stat().st_size > 0


def test_a_finished_run_gets_its_sheet(mission: ff.Mission, tmp_path: Path) -> None:
    write_observation(mission.run(0.02), tmp_path, cameras=["client"], width=80, height=50)
    assert (tmp_path / "plots" / "observation.png").stat().st_size > 0


def test_unknown_cameras_are_refused(mission: ff.Mission) -> None:
    with pytest.raises(InputError, match=r"observation camera 'roof'.*overview"):
        draw_observation([Instant(0.0, mission.session().scene())], cameras=["roof"])
    with pytest.raises(InputError, match="at least one"):
        draw_observation([])
    with pytest.raises(InputError, match="fov"):
        ObservationCamera((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), "200 deg")
