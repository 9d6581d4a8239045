"""What of a signal goes into which panel of a plot: one unit a panel, entries by their labels, angles in degrees."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from freefloat.engine.graph import Vector
from freefloat.engine.signals import AXES, Signal
from freefloat.units import on_page

ANGLES = ("roll", "pitch", "yaw")
CODES = re.compile(r"-?\d+:? [^;,:]+(?:[;,] -?\d+:? [^;,:]+)+")  # "0 open; 1 closing; 2 closed"
CROWD = 3  # rows of vectors that still share a panel
LONG = 1e4  # [m] from which on lengths are in kilometres
PULSES = 3, 20  # lines that are zero between pulses get rows: from as many lines, and pulses in all, on
SETTLED = 0.06  # of a panel's range, within which all that comes later is drawn once more
EARLY = 0.25  # of a run, by which that must have begun


@dataclass(frozen=True)
class Panel:
    """Lines in one unit over the same times."""

    quantity: str
    unit: str
    title: str
    lines: dict[str, Vector]  # by label
    codes: dict[float, str] = field(default_factory=dict[float, str])  # of states: what each number says

    @property
    def axis(self) -> str:
        """What stands beside its axis."""
        return f"{self.quantity} [{self.unit or '-'}]"

    @property
    def pulse(self) -> float:
        """The highest value of lines that only have pulses; 0 of any others."""
        lines = np.array(list(self.lines.values()))
        least, many = PULSES
        if len(lines) < least or self.codes or not np.isfinite(lines).all() or lines.min(initial=0.0) < 0.0:
            return 0.0
        on = lines > 0.0
        rises = int(np.count_nonzero(on[:, 1:] & ~on[:, :-1]))
        return float(lines.max(initial=0.0)) if rises >= many and on.mean() < 0.5 else 0.0

    def settled(self, t: Vector) -> int:
        """From which sample on all lines stay within a small part of the panel; 0 where they do not, or not early."""
        lines = np.array(list(self.lines.values()))
        if self.codes or self.pulse or len(t) < 2 or not np.isfinite(lines).all():
            return 0
        top = np.maximum.accumulate(lines.max(axis=0)[::-1])[::-1]
        low = np.minimum.accumulate(lines.min(axis=0)[::-1])[::-1]
        reach, start = top - low, 0  # of all from each sample on
        last = int(np.count_nonzero(t < t[0] + EARLY * (t[-1] - t[0])))
        while reach[start] > 0.0:
            near = int(np.argmax(reach <= SETTLED * reach[start]))
            if not start < near <= last:
                break
            start = near
        return start if reach[start] > 0.0 else 0


def panels_of(signal: Signal, indices: Sequence[int], values: Vector) -> list[Panel]:
    """The panels of some scalars of a signal, from its values (n, size); entries without any number are left out.

    A quaternion keeps the sign of the row before it, and stands above its angles.
    """
    if signal.is_attitude:
        values = continuous(values)
    shown = [i for i in indices if np.isfinite(values[:, i]).any()] or list(indices)
    made = [_panel(signal, some, values) for some in _together(signal, shown)]
    if signal.is_attitude and len(indices) == signal.size:
        made.append(_angles(signal, values))
    return made


def _together(signal: Signal, indices: Sequence[int]) -> list[list[int]]:
    """Scalars that share a panel: those of a unit; of many vectors, those along an axis."""
    units, known = signal.units(), signal.size % len(signal.unit.split(", ")) == 0
    crowd = len(signal.shape) == 2 and signal.shape[1] == len(AXES) and signal.shape[0] > CROWD
    groups: dict[tuple[str, int], list[int]] = {}
    for i in indices:
        place = i % len(AXES) if crowd else 0 if known else i
        groups.setdefault((units[i], place), []).append(i)
    return list(groups.values())


def _panel(signal: Signal, indices: Sequence[int], values: Vector) -> Panel:
    unit, factor = on_page(signal.units()[indices[0]])
    labels, quantity = signal.components(), signal.name.rpartition(".")[2]
    if len(indices) == 1 and signal.size > 1:
        quantity = f"{quantity}: {labels[indices[0]]}"
    if unit == "m" and np.abs(np.nan_to_num(values[:, indices])).max(initial=0.0) >= LONG:
        unit, factor = "km", 1e-3
    codes = codes_of(signal)
    return Panel(quantity, unit, _title(signal), {labels[i]: factor * values[:, i] for i in indices}, codes)


def _title(signal: Signal) -> str:
    where = f" (frame {signal.frame})" if signal.frame else ""
    told = "" if codes_of(signal) else signal.meaning
    return f"{signal.name}: {told}{where}" if told else f"{signal.name}{where}"


def _angles(signal: Signal, q: Vector) -> Panel:
    """Angles about x, then y, then z of the frame that the quaternion is in; a line stops where an angle jumps."""
    w, x, y, z = q.T
    roll = np.arctan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    pitch = np.arcsin(np.clip(2.0 * (w * y - z * x), -1.0, 1.0))
    yaw = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    lines = {label: unbroken(np.rad2deg(a)) for label, a in zip(ANGLES, (roll, pitch, yaw), strict=True)}
    title = f"{signal.name} as angles: about x by roll, then y by pitch, then z by yaw (frame {signal.frame or '-'})"
    return Panel("angle", "deg", title, lines)


def continuous(q: Vector) -> Vector:
    """Quaternions (n, 4) with the sign that is nearest to the row before."""
    turned = np.sum(q[1:] * q[:-1], axis=1) < 0.0
    return q * np.where(np.cumsum(np.concatenate([[False], turned])) % 2, -1.0, 1.0)[:, None]


def unbroken(angle: Vector) -> Vector:
    """Angles [deg] with a gap in place of the first sample after each jump of more than half a turn."""
    jump = np.flatnonzero(np.abs(np.diff(angle)) > 180.0) + 1
    shown = angle.copy()
    shown[jump] = np.nan
    return shown


def codes_of(signal: Signal) -> dict[float, str]:
    """What the numbers of a state say, where its meaning is a list of them."""
    if signal.unit != "-" or not CODES.fullmatch(signal.meaning):
        return {}
    pairs = (entry.strip().partition(" ") for entry in re.split("[;,]", signal.meaning))
    return {float(number.rstrip(":")): told for number, _, told in pairs}
