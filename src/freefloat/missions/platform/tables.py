"""Tables 5.4 and 5.5 of the REACSA paper: errors and on-times of line, circle and S, on a flat and an uneven floor."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from freefloat.errors import InputError
from freefloat.workers.many import metrics_of

TRAJECTORIES = ("line", "circle", "s")
FLOORS = ("flat", "uneven")
CONTROLLERS = ("paper", "best", "mpc")
CONDITIONS: Mapping[str, Mapping[str, Any]] = {
    "nominal": {},
    "strength": {"thrusters.strength_sigma": 0.1, "thrusters.strength_clip": 0.3},
    "robust": {
        "capture.delay": 0.02,
        "capture.dropout": 0.05,
        "thrusters.opening": 3.3e-3,
        "thrusters.closing": 3.3e-3,
        "thrusters.drop": 0.11,
    },
}
COLUMNS = (
    "rms_x_m",
    "rms_y_m",
    "rms_position_m",
    "rms_angle_deg",
    "total_on_time_s",
    "slope_on_time_s",
    "wheel_speed_max_rpm",
    "end_reached",
)
# published: e_x, e_y, e_|x,y| [m], e_theta [deg] of Table 5.4, sum of on-times [s] of Table 5.5, and its optimum
PUBLISHED: Mapping[tuple[str, str], Mapping[str, float]] = {
    (trajectory, floor): dict(zip(COLUMNS[:6], numbers, strict=True))
    for trajectory, floor, *numbers in (
        ("line", "flat", 0.0216, 0.0430, 0.0481, 3.42, 7.90, 1.72),
        ("line", "uneven", 0.0531, 0.147, 0.156, 3.48, 41.9, np.nan),
        ("circle", "flat", 0.0238, 0.0224, 0.0327, 4.52, 39.0, 2.04),
        ("circle", "uneven", 0.0566, 0.0506, 0.0759, 4.36, 129.0, np.nan),
        ("s", "flat", 0.0163, 0.0113, 0.0198, 0.222, 34.24, 1.86),
        ("s", "uneven", 0.0469, 0.0573, 0.0740, 0.136, 110.0, np.nan),
    )
}


THRUSTERS = tuple(f"on_time_s.{k}" for k in range(8))
OPTIMA: Mapping[str, Sequence[float]] = {  # [s] Table 5.5, of each thruster along the optimal trajectory
    "line": (0.499, 0.004, 0.0614, 0.296, 0.004, 0.499, 0.296, 0.0614),
    "circle": (0.674, 0.0, 0.189, 0.157, 0.0, 0.674, 0.157, 0.189),
    "s": (0.0788, 0.0895, 0.392, 0.370, 0.0895, 0.0788, 0.370, 0.392),
}
ON_TIMES: Mapping[tuple[str, str], Sequence[float]] = {  # [s] Table 5.5, of each thruster in the paper's simulation
    ("line", "flat"): (1.80, 0.306, 0.601, 1.31, 0.297, 1.78, 1.30, 0.499),
    ("line", "uneven"): (3.31, 6.51, 1.21, 10.1, 6.29, 3.09, 10.2, 1.20),
    ("circle", "flat"): (5.92, 3.80, 4.72, 5.19, 3.70, 5.90, 5.09, 4.70),
    ("circle", "uneven"): (18.0, 13.8, 12.3, 20.6, 13.7, 17.8, 20.7, 12.3),
    ("s", "flat"): (4.22, 4.00, 4.30, 4.71, 3.91, 4.10, 4.70, 4.30),
    ("s", "uneven"): (27.5, 1.4, 6.41, 19.9, 1.41, 27.6, 20.0, 6.41),
}


@dataclass(frozen=True)
class Cell:
    """One trajectory on one floor with one controller under one condition: means over the seeds."""

    trajectory: str
    floor: str
    controller: str
    condition: str
    seeds: int
    means: Mapping[str, float]
    worst: Mapping[str, float]  # largest of the seeds; of `end_reached` the least

    def to_json(self) -> dict[str, Any]:
        """With the published numbers."""
        published = {k: v for k, v in PUBLISHED[self.trajectory, self.floor].items() if np.isfinite(v)}
        published |= dict(zip(THRUSTERS, ON_TIMES[self.trajectory, self.floor], strict=True))
        return {**self.__dict__, "published": published}


def make(
    controllers: Sequence[str] = ("paper", "best"),
    conditions: Sequence[str] = ("nominal",),
    seeds: int = 10,
    contact: str = "single",
    floor_seed: int = 1,
    jobs: int = 1,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> list[Cell]:
    """All cells; a condition's name is of `CONDITIONS`. `jobs` runs go at once."""
    check(controllers, conditions, seeds, contact, jobs)
    places = list(product(TRAJECTORIES, FLOORS, controllers, conditions))
    runs = [_run(*place, contact, floor_seed, seed) for place in places for seed in range(seeds)]
    found = metrics_of(runs, jobs, progress=progress)
    cells = []
    for n, place in enumerate(places):
        rows = found[n * seeds : (n + 1) * seeds]
        table = {name: np.array([row[name] for row in rows]) for name in (*COLUMNS, *THRUSTERS)}
        worst = {name: float(v.min() if name == "end_reached" else v.max()) for name, v in table.items()}
        cells.append(Cell(*place, seeds, {name: float(v.mean()) for name, v in table.items()}, worst))
    return cells


def check(controllers: Sequence[str], conditions: Sequence[str], seeds: int, contact: str, jobs: int) -> None:
    """Refuse what `make` cannot do."""
    _known("controller", controllers, CONTROLLERS)
    _known("condition", conditions, CONDITIONS)
    _known("contact", (contact,), ("single", "three"))
    if not (1 <= seeds <= 10**6 and jobs >= 1):
        raise InputError(f"{seeds} seeds, {jobs} jobs; allowed: 1 or more")


def _run(
    trajectory: str, floor: str, controller: str, condition: str, contact: str, floor_seed: int, seed: int
) -> tuple[str, dict[str, Any]]:
    changes = {"controller": controller, "floor.kind": floor, "floor.contact": contact, "floor.seed": floor_seed}
    return f"reacsa-{trajectory}", {**changes, **CONDITIONS[condition], "seed": seed}


def _known(what: str, given: Sequence[str], allowed: Any) -> None:
    for name in given:
        if name not in allowed:
            raise InputError(f"{what} {name!r} is unknown; allowed: {', '.join(allowed)}")


def thruster_rows(cells: Sequence[Cell]) -> list[tuple[str, ...]]:
    """Lines of Table 5.5: on-times [s] of each thruster, the optimum and the published ones first in each block."""
    lines = []
    for trajectory, floor in product(TRAJECTORIES, FLOORS):
        lines.append((trajectory, floor, "optimum", "published", *(f"{s:.3g}" for s in OPTIMA[trajectory])))
        lines.append((trajectory, floor, "paper", "published", *(f"{s:.3g}" for s in ON_TIMES[trajectory, floor])))
        for cell in cells:
            if (cell.trajectory, cell.floor) == (trajectory, floor):
                numbers = (f"{cell.means[n]:.3g}" for n in THRUSTERS)
                lines.append((trajectory, floor, cell.controller, cell.condition, *numbers))
    return lines


def rows(cells: Sequence[Cell]) -> list[tuple[str, ...]]:
    """Lines of Table 5.4 with the sums of Table 5.5: the published ones first in each block."""
    lines = []
    for trajectory, floor in product(TRAJECTORIES, FLOORS):
        paper = PUBLISHED[trajectory, floor]
        lines.append((trajectory, floor, "published", "", *(_number(n, paper.get(n, np.nan)) for n in COLUMNS)))
        for cell in cells:
            if (cell.trajectory, cell.floor) == (trajectory, floor):
                numbers = (_number(n, cell.means[n]) for n in COLUMNS)
                lines.append((trajectory, floor, cell.controller, cell.condition, *numbers))
    return lines


def _number(name: str, value: float) -> str:
    if not np.isfinite(value):
        return ""
    return f"{value:.4f}" if name.endswith("_m") else f"{value:.3g}"
