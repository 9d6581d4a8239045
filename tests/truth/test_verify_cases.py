import pytest

from freefloat.verify.case import VERIFICATIONS
from freefloat.verify.runner import run_cases

# the longest; shorter forms: unit/kernels/test_verbs.py, laws/test_constraints.py, unit/orbit/test_reference.py
# (three), unit/missions/docking/test_dock_probe_cone.py, laws/test_drives.py (two), truth/test_reacsa_bars.py,
# unit/structure/test_power.py (two), unit/missions/impacts/test_impact.py, unit/missions/spider (two),
# unit/gnc/planning/arm (two), unit/gnc/planning/reconfiguration/test_limb_motions.py,
# unit/verify/oracles/test_exhaustive_rebuild.py, truth/test_reacsa_to_origin.py
LONG = ("fast-states", "couplings", "day-in-orbit", "docking", "arm-drives", "platform-best")
LONG += ("joint-drive", "relative-orbit", "two-body", "dc-network", "battery-energy", "impact-rendering")
LONG += ("spider-contact", "limb-kinematics", "robot-clearance", "transfers")
LONG += ("reconfiguration-optimal", "platform-monte-carlo")


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n in LONG else n for n in VERIFICATIONS.names()]
)
def test_case_passes_or_says_why_not(name: str) -> None:
    unexplained = [row for row in run_cases([name]) if row.unexplained]
    shown = "\n".join(
        f"{r.quantity}: published {r.published}, ours {r.ours}, tolerance {r.tolerance}" for r in unexplained
    )
    assert not unexplained, shown + "".join(row.traceback for row in unexplained)
