import math

from freefloat.bench.cases.reconfiguration import Effort, limb_figures
from freefloat.bench.limb import ClearanceByBoth, InverseByBoth


def test_the_limb_reports_its_figures() -> None:
    found = {f.name: f.value for f in limb_figures(Effort(poses=3, postures=5, rounds=1))}
    assert {"limb_ik_over_mink_ratio", "clearance_over_python_ratio"} < set(found)
    assert all(math.isfinite(v) and v > 0.0 for v in found.values())


def test_both_do_the_same_work() -> None:
    ik = InverseByBoth(10)
    assert ik.mink() == ik.closed() == 10
    both = ClearanceByBoth(150)
    assert abs(both.compiled() - both.by_python()) <= 1
