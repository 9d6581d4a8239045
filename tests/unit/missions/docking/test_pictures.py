from freefloat.api import execute
from freefloat.missions.docking.dock_probe_cone import DockProbeCone
from freefloat.missions.docking.pictures import draw_docking


def test_a_run_that_ends_early_is_drawn_too(tmp_path):
    result = execute(DockProbeCone(duration=0.5))
    draw_docking(result, tmp_path)
    assert (tmp_path / "plots" / "docking.png").stat().st_size > 10_000
