"""Energy that a bank holds as its states say, in the audit."""

from __future__ import annotations

import numpy as np
import pytest

import freefloat as ff
from freefloat.kernels.bank import Effect


def _pull(t, p, x, u, view, dx, tau, wrench, y, power):
    """A spring between the origin of W and a body; no power is integrated."""
    for r in range(p.i.shape[0]):
        b = p.i[r, 0]
        for j in range(3):
            wrench[b, 3 + j] -= p.f[r, 0] * view.xipos[b, j]
            wrench[0, 3 + j] += p.f[r, 0] * view.xipos[b, j]


def _energy(p, x, view, energy):
    for r in range(p.i.shape[0]):
        for j in range(3):
            energy[0] += 0.5 * p.f[r, 0] * view.xipos[p.i[r, 0], j] ** 2


def _spring(**verbs) -> ff.Mission:
    bank = Effect("tether", _pull, columns=[ff.Column("k", "N/m")], references={"body": ff.Body}, **verbs)
    probe = ff.RigidBody("probe", 4.0, motion=ff.Motion(ff.Pose(np.eye(3), [1.0, 0.0, 0.0])))
    return ff.Mission([probe], rows=[bank.row("tether", body="probe", k=1.0)])


def test_an_effect_may_tell_its_energy_in_place_of_integrating_its_power() -> None:
    result = _spring(stored=_energy).run(5.0)
    assert result.audit.drifts["energy_drift"] < 1e-12
    assert np.ptp(result["probe.p_WB"][:, 0]) > 1.0


@pytest.mark.filterwarnings("ignore::freefloat.errors.AuditWarning")
def test_without_it_the_same_effect_fails_the_audit() -> None:
    assert _spring().run(5.0).audit.drifts["energy_drift"] > 0.1


def test_a_place_that_is_set_from_outside_brings_its_stored_energy_as_work() -> None:
    session = _spring(stored=_energy).session()
    session.step(0.5)
    before = session.world.audit()
    session.world.set_motion("probe", ff.Pose(np.eye(3), [2.0, 0.0, 0.0]), np.zeros(3), np.zeros(3))
    after = session.world.audit()
    gained = {n: float((after[n] - before[n])[0]) for n in ("kinetic_energy", "energy_stored", "work_supplied")}
    assert gained["energy_stored"] > 1.0
    assert gained["kinetic_energy"] + gained["energy_stored"] == pytest.approx(gained["work_supplied"], rel=1e-12)
