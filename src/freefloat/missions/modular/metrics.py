"""Metrics that missions with modules share, from recorded signals alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from freefloat.engine.result import Result
from freefloat.frames import Pose, so3_log
from freefloat.hand_words import HandState
from freefloat.structure.tensor_body import TensorBody


def module_metrics(
    result: Result, bodies: Sequence[str], hands: Sequence[str], name: str = "modules"
) -> dict[str, float]:
    """Handovers, modules lost, balances, largest misalignment and load."""
    first = np.concatenate([result[f"{b}.identity"][0] for b in bodies])
    last = np.concatenate([result[f"{b}.identity"][-1] for b in bodies])
    identities, counts = np.unique(last[last > 0], return_counts=True)
    powered = np.concatenate([result[f"{b}.powered"][-1] for b in bodies])
    dark = sum(np.sum((result[f"{b}.type"] > 0) & (result[f"{b}.powered"] < 0.5), axis=1) for b in bodies)
    temperature = np.concatenate([result[f"{b}.temperature"][-1][result[f"{b}.type"][-1] > 0] for b in bodies])
    heat = result[f"{name}.heat"]
    metrics = {
        "modules_lost": float(len(np.setdiff1d(first[first > 0], identities))),
        "modules_doubled": float(np.sum(counts > 1)),
        "modules_powered": float(np.sum(powered[last > 0])),
        "modules_unpowered": float(np.max(dark)),
        "alarms": float(result[f"{name}.alarms"][-1, 0]),
        "heat_balance_error": float(heat[:, 3].max()),
        "temperature_min_K": float(temperature.min()),
        "temperature_max_K": float(temperature.max()),
        "picks": float(sum(e.name.endswith(".picked") for e in result.events)),
        "places": float(sum(e.name.endswith(".placed") for e in result.events)),
        "plan_completed": float(result["plan.step"][-1, 1]),
        "safe_stop": float(result["plan.step"][-1, 2]),
    }
    for key, column in (("interface_force_max_N", 0), ("interface_torque_max_N_m", 1)):
        metrics[key] = float(max(result[f"{name}.{h}.load"][:, column].max() for h in hands))
    return metrics


def violation(result: Result, connections: dict[str, str], name: str = "modules") -> dict[str, float]:
    """Largest violation of closed interfaces that constraints hold (0 where none did); connection -> hand."""
    worst = np.zeros(2)
    for connection, hand in connections.items():
        error, state = result[f"{connection}.error"], result[f"{name}.{hand}.state"][:, 0]
        held = np.isfinite(error[:, 0]) & np.isin(state, (HandState.CLOSED, HandState.PICKING, HandState.OPENING))
        if held.any():
            parts = np.linalg.norm(error[held, :3], axis=1).max(), np.linalg.norm(error[held, 3:], axis=1).max()
            worst = np.maximum(worst, parts)
    return {"constraint_violation_m": float(worst[0]), "constraint_violation_rad": float(worst[1])}


def placing_error(result: Result, X_EM: Pose, X_TM: Pose, load: str = "load_b", hand: str = "b") -> dict[str, float]:
    """How far the module was from its planned pose when it was carried last, before an interface drew it in."""
    carried = np.flatnonzero(result[f"modules.{hand}.state"][:, 0] == HandState.CARRYING)
    if not len(carried):
        return {}
    row = int(carried[-1])
    X_WT, X_WE = (Pose.from_quat(result[f"{n}.q_WB"][row], result[f"{n}.p_WB"][row]) for n in ("stack", load))
    off = X_TM.inverse() @ (X_WT.inverse() @ X_WE) @ X_EM
    return {
        "place_position_error_m": float(np.linalg.norm(off.p)),
        "place_attitude_error_deg": float(np.rad2deg(np.linalg.norm(so3_log(off.R)))),
    }


def pointing_error(result: Result, body: str) -> dict[str, float]:
    """Largest rotation of a body from its start, by the chord: |q - q0| = 2 sin(angle / 4), exact for small ones."""
    q = result[f"{body}.q_WB"]
    chord = np.minimum(np.linalg.norm(q - q[0], axis=1), np.linalg.norm(q + q[0], axis=1))
    return {"pointing_error_max_deg": float(np.rad2deg(4.0 * np.arcsin(0.5 * chord.max())))}


def misplaced(result: Result, planned: Mapping[str, TensorBody]) -> float:
    """Places whose module or its orientation is not the planned one at the end."""
    wrong = 0
    for name, body in planned.items():
        same = (result[f"{name}.identity"][-1] == body.identity) & (
            result[f"{name}.orientation"][-1] == body.orientation
        )
        wrong += int(np.sum(~same))
    return float(wrong)
