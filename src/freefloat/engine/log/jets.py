"""Jets of thrusters in the scene of a log: cones along the exhaust, only while their thrusters fire.

A jet of full length has the thrust that its thruster is built for; valves with a lag let it grow and fade. Messages are
written where a jet changes by a tenth of its length or more, at any recorded instant: pulses are shorter than the
period of the transforms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from foxglove import messages as fox
from numpy.typing import NDArray

from freefloat.engine.log.primitives import colour, pose, timestamp
from freefloat.engine.log.scene import Shown
from freefloat.engine.seen import Jet
from freefloat.frames import Pose

LEVELS = 10  # of a jet's length
FAINTEST = 0.02  # of the full thrust, below which there is no jet
LENGTH, WIDTH = 0.35, 0.3  # [m] of a jet of 10 N; width at its end over its length
COLOUR = (0.35, 0.75, 1.0, 0.75)


def length_of(thrust: float) -> float:
    """[m] of the jet of a thruster [N]: 0.35 m at 10 N, and with the cube root of the thrust, as its volume."""
    return LENGTH * (thrust / 10.0) ** (1.0 / 3.0)


class JetTopic:
    """The jets of one world that the log shows; those whose thrust is not among the signals are never seen."""

    def __init__(self, jets: Sequence[Jet], where: Mapping[str, slice]) -> None:
        self._jets = [jet for jet in jets if jet.signal in where]
        self._columns = np.array([where[jet.signal].start + jet.index for jet in self._jets], dtype=np.intp)
        self._full = np.array([jet.thrust for jet in self._jets])
        self._axes = [_axes(np.array(jet.d_L)) for jet in self._jets]
        self._level = np.zeros(len(self._jets), dtype=np.int64)
        self._shown = Shown()

    def changes(self, rows: NDArray[np.float64]) -> dict[int, NDArray[np.int64]]:
        """Numbers of the rows at which a jet changes, with the levels of all jets from there on."""
        if not self._jets or not len(rows):
            return {}
        share = rows[:, self._columns] / self._full
        levels = np.where(share > FAINTEST, np.clip(np.ceil(LEVELS * share - 1e-9), 1, 2 * LEVELS), 0).astype(np.int64)
        before = np.vstack([self._level, levels[:-1]])
        self._level = levels[-1]
        return {int(i): levels[i] for i in np.flatnonzero((levels != before).any(axis=1))}

    def update(self, t_ns: int, levels: NDArray[np.int64]) -> fox.SceneUpdate | None:
        """The message after which these jets are shown, and no others."""
        now = {
            jet.name: _cone(t_ns, jet, axes, level / LEVELS)
            for jet, axes, level in zip(self._jets, self._axes, levels.tolist(), strict=True)
            if level
        }
        return self._shown.update(t_ns, now)


def _axes(d: NDArray[np.float64]) -> NDArray[np.float64]:
    """R (3, 3) whose z is d."""
    R: NDArray[np.float64] = np.zeros((3, 3))
    R[:, 2] = d / np.linalg.norm(d)
    R[:, 0] = np.cross(R[:, 2], np.eye(3)[np.argmin(np.abs(R[:, 2]))])
    R[:, 0] /= np.linalg.norm(R[:, 0])
    R[:, 1] = np.cross(R[:, 2], R[:, 0])
    return R


def _cone(t_ns: int, jet: Jet, axes: NDArray[np.float64], level: float) -> fox.SceneEntity:
    """Narrow at the nozzle; Foxglove's cylinders stand along z about their middle."""
    long = level * length_of(jet.thrust)
    middle = Pose(axes, np.array(jet.p_LN) + 0.5 * long * axes[:, 2])
    wide = WIDTH * long
    cone = fox.CylinderPrimitive(
        pose=pose(middle),
        size=fox.Vector3(x=wide, y=wide, z=long),
        bottom_scale=0.15,
        top_scale=1.0,
        color=colour(COLOUR),
    )
    return fox.SceneEntity(
        timestamp=timestamp(t_ns), frame_id=jet.link, id=jet.name, frame_locked=True, cylinders=[cone]
    )
