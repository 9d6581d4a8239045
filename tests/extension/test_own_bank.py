"""A bank with all four verbs in one file, with public names only: a motor whose winding is faster than the step, and a
hard stop that throws its joint back.
"""

from __future__ import annotations

import copy
import math
from typing import Any

import numpy as np
import pytest

import freefloat as ff
from freefloat.effects import BOOK, Column, Effect, Rate, State, carried, places
from freefloat.errors import InputError, SimulationError

J, K, R, L = 0.05, 0.2, 1.0, 2e-4  # [kg m^2], [N m/A], [ohm], [H]
STOP, RESTITUTION = 0.3, 0.6  # [rad], [-]

COLUMNS = (Column("K", "N m/A"), Column("R", "ohm"), Column("L", "H"), Column("stop", "rad"), Column("e"))
F = places(COLUMNS)


NUMBERS: dict[str, Any] = {"K": 1.0, "R": 1.0, "L": 1.0, "stop": 1.0, "e": 1.0, "position": "j"}


def stage(t, p, x, u, view, dx, tau, wrench, y, power):
    for r in range(p.i.shape[0]):
        y[r] = carried(p, r, p.f[r, F.K] * x[2 * r])
        tau[p.i[r, 1]] += y[r]


def advance(t, h, p, x, u, view, answer, new, impulse, moment, booked):
    """The exact exponential at the mean rate of the joint."""
    for r in range(p.i.shape[0]):
        f, v = p.f[r], u[p.i[r, 2]]
        T, w = f[F.L] / f[F.R], view.qvel[p.i[r, 1]] + 0.5 * h * answer.qacc[p.i[r, 1]]
        c = (v - f[F.K] * w) / f[F.R]
        b, E = x[2 * r] - c, math.exp(-h / T)
        i = c + b * E
        charge = c * h + b * T * (1.0 - E)
        impulse[r] = f[F.K] * charge
        moment[r] = f[F.K] * (h * charge - 0.5 * c * h * h - b * T * (T * (1.0 - E) - h * E))
        new[2 * r] = i
        stored = 0.5 * f[F.L] * (i * i - x[2 * r] ** 2)
        booked[BOOK.work_supplied] += v * charge
        booked[BOOK.energy_stored] += stored
        booked[BOOK.heat] += (v - f[F.K] * w) * charge - stored


def guard(t, p, x, u, view, g):
    for r in range(p.i.shape[0]):
        g[r] = p.f[r, F.stop] - view.qpos[p.i[r, 0]]


def settle(t, p, x, u, view, answer, crossed, tau, wrench, booked):
    for r in range(p.i.shape[0]):
        dof = p.i[r, 1]
        if crossed[r] < 0:
            tau[dof] -= (1.0 + p.f[r, F.e]) * view.qvel[dof] / answer.minv[r, dof]
            x[2 * r + 1] += 1.0


MOTOR = Effect(
    "stopped-motor",
    stage,
    COLUMNS,
    references={"position": ff.Coordinate, "rate": Rate},
    commands=("voltage",),
    states=(State("current", "A", "fast"), State("hits", kind="mode")),
    outputs=(Column("torque", "N m"),),
    advance=advance,
    guard=guard,
    settle=settle,
    carried=("torque",),
    answers=("rate",),
    guards=("left",),
)


class Rotor:
    """A rotor in the world with the motor on its axis."""

    name = "rotor"

    def build(self, b: ff.Builder) -> None:
        b.body(ff.Link("disc", 1.0, np.zeros(3), np.diag([J, J, J])))
        joint = b.joint(ff.Joint("axis", "revolute", "world", "disc", ff.Pose.identity()))
        b.joint_signals([joint])
        volts = b.command("voltage", (1,), "V")
        row = MOTOR.row(
            b.full("motor"), position=joint, rate=joint, voltage=volts, K=K, R=R, L=L, stop=STOP, e=RESTITUTION
        )
        rows = [b.add(row)]
        for quantity in ("current", "hits", "torque"):
            b.signal_of(quantity, rows, quantity)


def mission(integrator: Any = None, events: Any = (), rate: float = 1000.0) -> ff.Mission:
    return ff.Mission([Rotor()], integrator=integrator or ff.RK4(1e-3), events=events, record_rate=rate)


def start(m: ff.Mission) -> ff.Session:
    session = m.session()
    session.write("rotor.voltage", [2.0])
    return session


def finish(m: ff.Mission, session: ff.Session, until: float) -> ff.Result:
    session.step(until - session.time)
    session.finish()
    return m.result(session, 0.0)


@pytest.mark.parametrize("integrator", [ff.RK4(1e-3), ff.Dopri5(1e-3)], ids=["RK4", "Dopri5"])
def test_a_bank_with_all_verbs_drives_hits_and_bounces(integrator: Any) -> None:
    m = mission(integrator)
    r = finish(m, start(m), 0.9)
    t, q, w = r.time("rotor.q"), r["rotor.q"][:, 0], r["rotor.qd"][:, 0]
    hits = r["rotor.hits"][:, 0]
    first = int(np.argmax(hits > 0))
    damping = K * K / (R * J)  # w' = (K / J) (V - K w) / R where the winding is quick
    expected = 2.0 / K * (1.0 - np.exp(-damping * t[first - 1]))
    assert w[first - 1] == pytest.approx(expected, rel=1e-3)
    assert q.max() == pytest.approx(STOP, abs=2e-3), "records stand on a grid"
    assert w[first] == pytest.approx(-RESTITUTION * w[first - 1], rel=0.02)
    assert hits[-1] == 5
    lost = r.audit.drifts["energy_drift"]
    assert lost < 1e-4, "the heat of each impact is booked; what is left is the second order of `advance`"


def test_its_energy_error_is_of_second_order_through_impacts() -> None:
    drifts = [finish(m, start(m), 0.9).audit.drifts["energy_drift"] for m in (mission(ff.RK4(h)) for h in (1e-3, 5e-4))]
    assert np.log2(drifts[0] / drifts[1]) > 1.9


def test_snapshot_restore_and_fork_go_on_with_the_same_bytes() -> None:
    m = mission()
    straight = finish(m, start(m), 0.9)
    session = start(m)
    session.step(0.457)
    kept = copy.deepcopy(session.snapshot())
    session.step(0.3)
    session.restore(kept)
    forked = start(m)
    forked.restore(kept)
    for other in (finish(m, session, 0.9), finish(m, forked, 0.9)):
        for name in ("rotor.q", "rotor.qd", "rotor.current", "rotor.hits", "audit.heat"):
            assert np.array_equal(other[name], straight[name]), name


def test_located_trial_steps_leave_no_trace() -> None:
    """An event that does nothing, in mid-step: the state before and after differs by the scheme's own error only."""
    m = mission()
    straight = finish(m, start(m), 0.3)
    watched = mission(events=[ff.Event("look", lambda s: None, signal="rotor.q", level=0.05, times=1)])
    found = finish(watched, start(watched), 0.3)
    assert len(found.events) == 1
    assert np.abs(found["rotor.q"] - straight["rotor.q"]).max() < 1e-7
    assert np.abs(found["rotor.current"] - straight["rotor.current"]).max() < 1e-3


def test_an_adaptive_pair_refuses_states_that_it_does_not_see() -> None:
    with pytest.raises(InputError, match=r"row 'rotor.motor': effect 'stopped-motor' has `advance`, which Dopri54"):
        mission(ff.Dopri54()).session()


def test_endless_chatter_is_an_error_that_names_the_effect() -> None:
    def nothing(t, p, x, u, view, dx, tau, wrench, y, power):
        pass

    def alarm(t, p, x, u, view, g):
        g[0] = x[0] - t

    def soon_again(t, p, x, u, view, answer, crossed, tau, wrench, booked):
        if crossed[0] != 0:
            x[0] = t + 1e-8

    states = (State("next", "s", "mode", 0.01),)
    bank = Effect("restless", nothing, states=states, guard=alarm, settle=soon_again, guards=("left",))
    chatter = ff.Mission([ff.RigidBody("a")], rows=[bank.row("restless")]).session()
    with pytest.raises(SimulationError, match=r"effect 'restless' changes its modes without end \(chattering\)"):
        chatter.step(0.1)


def test_an_effect_that_raises_ends_the_run_with_its_name() -> None:
    def fails(t, p, x, u, view, dx, tau, wrench, y, power):
        if t > 0.005:
            raise ValueError("no")

    session = ff.Mission([ff.RigidBody("a")], rows=[Effect("moody", fails).row("moody")]).session()
    with pytest.raises(SimulationError, match=r"effect 'moody' raised ValueError: no at t = 0.00"):
        session.step(0.1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"carried": ("f",)}, r"carried forces \['f'\] without `advance`"),
        ({"states": (State("i", kind="fast"),)}, r"fast states \['i'\] without `advance`"),
        ({"states": (State("m", kind="mode"),)}, r"modes \['m'\] without `settle`"),
        ({"guards": ("g",)}, r"guards \['g'\] without `guard`"),
        ({"guard": guard}, r"`guard` needs the names of its `guards` and the verb `settle`"),
        ({"answers": ("rate",)}, r"unknown reference to a joint's rate .*'rate'"),
        ({"states": (State("i", kind="slow"),)}, r"state 'i' of kind 'slow'; allowed: rate, fast, mode"),  # pyright: ignore
        ({"outputs": (Column("f", "N", 3),)}, r"output 'f' of size 3; allowed: 1 each"),
        ({"columns": (Column("k"),), "commands": ("k",)}, r"two of its quantities are named 'k'"),
        ({"advance": 3}, r"advance 3; allowed: a function\(t, h, p, x, u, view, answer, new, impulse"),
    ],
)
def test_a_declaration_that_does_not_fit_is_refused(options: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"effect 'odd': {message}|{message}"):
        Effect("odd", stage, **options)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"K": 1.0}, r"row 'm' of 'stopped-motor': 'R' is missing; needed: 1 numbers \[ohm\]"),
        ({"KK": 1.0}, r"unknown column or reference of 'stopped-motor' \(in row 'm'\) 'KK'"),
        ({"K": (1.0, 2.0)}, r"'K' has 2 numbers, 1 needed \[N m/A\]"),
        ({"K": np.nan}, r"'K' is not a number"),
        ({"K": "two"}, "'K': expected a quantity such as '1 N m/A', got 'two'"),
        ({**NUMBERS, "rate": ff.Coordinate("j"), "voltage": "v"}, r"row 'm': 'rate' is Coordinate.*; allowed: a name"),
        ({**NUMBERS, "rate": "j", "voltage": None}, r"row 'm': 'voltage' is None; allowed: a command's name"),
        ({**NUMBERS, "rate": "j", "voltage": "v", "states": {"current": np.nan}}, r"state 'current' starts at nan"),
    ],
)
def test_a_row_that_does_not_fit_its_bank_is_refused(given: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        MOTOR.row("m", **given)


def test_declared_states_and_outputs_of_a_row_without_part_are_signals() -> None:
    def fade(t, p, x, u, view, dx, tau, wrench, y, power):
        dx[0] = -p.f[0, 0] * x[0]
        y[0] = dx[0]

    bank = Effect(
        "fade", fade, (Column("rate", "1/s"),), states=(State("level", "V"),), outputs=(Column("slope", "V/s"),)
    )
    rows = [bank.row("glow", {"level": 2.0}, rate=3.0)]
    result = ff.Mission([ff.RigidBody("a")], rows=rows).run(1.0)
    assert result["glow.level"][-1, 0] == pytest.approx(2.0 * math.exp(-3.0), rel=1e-10)
    assert result.signals["glow.slope"].unit == "V/s"
