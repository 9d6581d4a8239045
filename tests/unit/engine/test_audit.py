"""The audit's verdicts: it fails what is broken, and takes rounding for what it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.errors import AuditError, AuditWarning


def one_sided(t, p, x, u, view, dx, tau, wrench, y, power):
    wrench[1, 3] += 1e-3


BROKEN = ff.Row(ff.Effect("broken", one_sided), "broken")

QUIET: dict[str, Any] = {
    "at rest": {},
    "flying": {"motion": ff.Motion(v_WL=(7500.0, 10.0, 0.0))},
    "flying and hardly turning": {"motion": ff.Motion(w_WL_L=(1e-3, 2e-3, 0.0), v_WL=(7500.0, 10.0, 0.0))},
    "spinning about a distant centre": {
        "motion": ff.Motion(w_WL_L=(0.3, -0.2, 0.9), v_WL=(0.0, 0.0, 0.0)),
        "p_BBcm": (0.4, 0.2, -0.3),
        "inertia": (300.0, 200.0, 150.0),
    },
}


@pytest.mark.parametrize("kind", QUIET)
@pytest.mark.parametrize("integrator", [ff.RK4(), ff.Dopri54(rtol=1e-11)], ids=["rk4", "dopri54"])
def test_rounding_is_not_taken_for_a_broken_law(kind: str, integrator: Any) -> None:
    result = ff.Mission([ff.RigidBody("bus", **QUIET[kind])], integrator=integrator).run(5.0)
    assert result.audit.passed, result.audit.drifts


def test_an_arm_that_moves_on_a_base_at_orbital_speed_passes(bus_with_arm: Any, law: Any, swing: Any) -> None:
    task = ff.Task(law(swing), 0.004, {"qd": "arm.qd"}, {"tau": "arm.tau"})
    result = ff.Mission(bus_with_arm(motion=ff.Motion(v_WL=(7500.0, 10.0, 0.0))), [task]).run(2.0)
    assert result.audit.passed, result.audit.drifts


def test_a_push_through_an_offset_centre_of_mass_passes() -> None:
    session = ff.Mission([ff.RigidBody("bus", p_BBcm=(0.4, 0.2, -0.3))]).session()
    push = np.array([3.0, -2.0, 5.0])
    session.write("bus.wrench", [*np.cross((0.4, 0.2, -0.3), push), *push])
    mission = ff.Mission([ff.RigidBody("bus", p_BBcm=(0.4, 0.2, -0.3))])
    assert mission.complete(session, 5.0).audit.passed


def test_a_millinewton_from_nowhere_fails_the_audit_and_strict_makes_it_an_error() -> None:
    mission = ff.Mission([ff.RigidBody("bus"), ff.RigidBody("cargo", 5.0)], rows=[BROKEN])
    with pytest.warns(AuditWarning, match=r"the audit failed: linear_momentum_drift .* > 1e-08"):
        result = mission.run(0.5)
    assert result.audit.failures == ["linear_momentum_drift", "energy_drift"]
    with pytest.raises(AuditError, match="do not believe this run"):
        mission.run(0.5, strict=True)


def test_a_world_fixed_to_the_ground_has_no_momentum_audit(random_robot: Any) -> None:
    result = ff.Mission([random_robot(1, anchored=True)]).run(0.2)
    assert set(result.audit.drifts) == {"energy_drift", "mass_drift"}
    assert result.audit.passed


def test_the_history_is_as_long_as_the_audits_rows_and_its_largest_value_is_the_drift(random_robot: Any) -> None:
    result = ff.Mission([random_robot(1)]).run(0.2)
    for name, drift in result.audit.drifts.items():
        assert len(result.audit.history[name]) == len(result.audit.history["t"]) == 21
        assert result.audit.history[name].max() == drift
