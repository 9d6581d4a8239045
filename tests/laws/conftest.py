"""Worlds on which the laws are tried."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import freefloat as ff


@pytest.fixture(scope="session")
def torques(law: Any) -> Any:
    """A task that drives all joints of `robot` with smooth random torques of a few N m."""

    def make(seed: int, n: int) -> ff.Task:
        rng = np.random.default_rng(1000 + seed)
        size, speed, phase = rng.uniform(0.5, 3.0, (3, n))

        def update(t: float, meas: Any) -> Any:
            return {"tau": size * np.sin(speed * t + phase)}

        return ff.Task(law(update), 0.01, writes={"tau": "robot.tau"}, name="torques")

    return make


@pytest.fixture(scope="session")
def momenta() -> Any:
    """Total momentum, angular momentum about the world's origin and kinetic energy, from the links' motions alone."""

    def of(session: ff.Session) -> tuple[np.ndarray, np.ndarray, float]:
        world = session.world
        P, L, T = np.zeros(3), np.zeros(3), 0.0
        for name, link in world.links.items():
            X_WL, w_WL_L, v_WL = world.motion(name)
            w = X_WL.R @ w_WL_L
            r = X_WL.R @ link.p_LLcm
            v = v_WL + np.cross(w, r)
            spin = X_WL.R @ link.I_LLcm_L @ w_WL_L
            P += link.mass * v
            L += np.cross(X_WL.p + r, link.mass * v) + spin
            T += 0.5 * link.mass * v @ v + 0.5 * w @ spin
        for name, joint in world.joints.items():
            if joint.kind != "fixed":
                T += 0.5 * joint.armature * world.joint(name)[1] ** 2
        return P, L, T

    return of
