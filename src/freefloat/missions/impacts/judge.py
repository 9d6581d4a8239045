"""How well an impact was rendered: against the ideal motion, and the robots against the satellites."""

from __future__ import annotations

import numpy as np

from freefloat.engine.result import Result
from freefloat.frames import Array, quat_to_matrix
from freefloat.missions.impacts.ideal import Pair, Reference
from freefloat.missions.impacts.laboratory import Stand

NAMES = ("servicer", "client")
FREE = 0.3  # [s] from any touch of the robots, beyond which they ought to follow


def judged(result: Result, reference: Reference, stands: tuple[Stand, Stand]) -> dict[str, float]:
    """Metrics of a run; speeds are over the speed of approach."""
    return rendered(result, reference) | rms_difference_free(result, stands)


def rendered(result: Result, reference: Reference, since: float = 0.0) -> dict[str, float]:
    """The satellites against the ideal motion, which begins at `since` [s]."""
    t = result.time("servicer.p_WB")
    kept, start = t >= since - 1e-9, reference.start
    ideal = reference.at(t[kept] - since)
    approach = float(np.linalg.norm(start[0].v_W - start[1].v_W))
    p, v = (np.stack([result[f"{n}.{s}"][kept] for n in NAMES], axis=1) for s in ("p_WB", "v_WB"))
    handed = np.linalg.norm(result["rendering.handed"], axis=1).max()
    met = [touch for touch in result.touches if touch.contact.startswith("satellites")]
    real = [touch for touch in result.touches if touch.contact.startswith("mockups")]
    energy = kinetic_energy(result, reference.pair)[kept]
    return {
        "peak_force_satellite_n": max([float(handed), *(touch.peak_force for touch in met)]),
        "peak_force_robot_n": max((touch.peak_force for touch in real), default=0.0),
        "speed_error_ratio": float(np.linalg.norm(v[-1] - ideal.v[-1], axis=1).max()) / approach,
        "position_error_m": float(np.linalg.norm(p - ideal.p, axis=2).max()),
        "exit_speed_ratio": float(np.linalg.norm(v[-1, 0] - v[-1, 1])) / approach,
        "satellite_energy_ratio": float(energy.max() / energy[0]),
        "contacts": float(len(met) if met or handed == 0.0 else len(real)),
    }


def kinetic_energy(result: Result, pair: Pair) -> Array:
    """[J] (n,) of both satellites."""
    total = np.zeros(len(result["servicer.v_WB"]))
    for name, body in zip(NAMES, pair.bodies, strict=True):
        v, w = result[f"{name}.v_WB"], result[f"{name}.w_WB_B"]
        total += 0.5 * body.mass * (v * v).sum(axis=1) + 0.5 * np.einsum("ni,ij,nj->n", w, body.inertia, w)
    return total


def executed(result: Result, stand: Stand) -> Array:
    """Where a robot has its mock-up's frame, by its links and the nominal mock-up, p_WT (n, 3) [m]."""
    p, q = result[f"{stand.name}.mockup.p_WB"], result[f"{stand.name}.mockup.q_WB"]
    return p + np.array([quat_to_matrix(one) @ stand.X_FT.p for one in q])


def rms_difference_free(result: Result, stands: tuple[Stand, Stand]) -> dict[str, float]:
    """Executed against simulated, both satellites, away from any touch of the robots; left out where they touch all
    the time."""
    t = result.time("robot1.mockup.p_WB")
    free = np.ones(len(t), dtype=bool)
    for touch in result.touches:
        if touch.contact.startswith("mockups"):
            free &= (t < touch.t - FREE) | (t > touch.t + touch.duration + FREE)
    if not free.any():
        return {}
    off = [executed(result, s) - result[f"{n}.p_WB"] for s, n in zip(stands, NAMES, strict=True)]
    return {"rms_difference_free_m": float(np.sqrt(np.mean([(d[free] ** 2).sum(axis=1) for d in off])))}
