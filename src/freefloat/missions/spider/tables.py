"""Force and energy of SPIDER's impact over the obstacle's stiffness, for several supplies (Ferretti 2004, Fig. 9)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

from freefloat.workers.many import metrics_of

STIFFNESSES = (1e4, 1e5, 1e6, 1e7)  # [N/m]
SUPPLIES = (12.0, 24.0, 48.0)  # [V]
DIRECTIONS = {"along": (0.0, 0.0, 1.0), "across": (0.0, 1.0, 0.0)}  # in which the tip goes, in axes of the tool
HEAD = ("tool", "K [N/m]", "supply [V]", "force [N]", "energy [J]", "kinetic [J]", "electric [J]", "audit")


@dataclass(frozen=True)
class Cell:
    """One impact."""

    direction: str  # of `DIRECTIONS`
    stiffness_N_m: float
    supply_V: float
    force_N: float  # largest
    energy_J: float  # that the obstacle takes up at that force
    kinetic_J: float  # of arm and rotors at the first touch
    electric_J: float  # taken by the drives from then to the largest force
    audit_passed: bool

    def row(self) -> tuple[str, ...]:
        """For the table."""
        numbers = [f"{value:.4g}" for value in list(asdict(self).values())[1:-1]]
        return (self.direction, *numbers, "passed" if self.audit_passed else "FAILED")


def make(
    stiffnesses: Sequence[float] = STIFFNESSES,
    supplies: Sequence[float] = SUPPLIES,
    progress: Callable[[int, int], None] | None = None,
    directions: Sequence[str] = tuple(DIRECTIONS),
    jobs: int = 1,
) -> list[Cell]:
    """All impacts with the fault, `jobs` at once; `progress` is told how many of how many are done."""
    cases = list(product(directions, supplies, stiffnesses))
    runs = [("spider-impact-fault", _changes(*case)) for case in cases]
    found = metrics_of(runs, jobs, progress=progress or (lambda done, of: None))
    return [_cell(*case, metrics) for case, metrics in zip(cases, found, strict=True)]


def _changes(direction: str, supply: float, stiffness: float) -> dict[str, Any]:
    return {"obstacle.stiffness": stiffness, "obstacle.direction": DIRECTIONS[direction], "supply": supply}


def _cell(direction: str, supply: float, stiffness: float, m: Mapping[str, float]) -> Cell:
    return Cell(
        direction,
        stiffness,
        supply,
        m["peak_contact_force_N"],
        m["impact_energy_J"],
        m["kinetic_energy_J"],
        m["electric_energy_J"],
        bool(m["audit.passed"]),
    )


def draw(cells: Sequence[Cell], path: Path) -> None:
    """Force and energy over the stiffness, a line for each supply and direction."""
    from freefloat.charts import STYLE, panels, save

    figure, axes = panels(2)
    supplies = sorted({c.supply_V for c in cells})
    lines = [(d, v) for d in DIRECTIONS for v in supplies if any((c.direction, c.supply_V) == (d, v) for c in cells)]
    for ax, field, label in zip(axes, ("force_N", "energy_J"), ("force [N]", "energy [J]"), strict=True):
        for line in lines:
            own = sorted((c for c in cells if (c.direction, c.supply_V) == line), key=lambda c: c.stiffness_N_m)
            x, y = [c.stiffness_N_m for c in own], [getattr(c, field) for c in own]
            colour, way = STYLE["colors"][supplies.index(line[1])], "-" if line[0] == "along" else "--"
            ax.plot(x, y, way, color=colour, marker="o", label=f"{line[0]} the tool, {line[1]:g} V")
        ax.set(xscale="log", yscale="log" if field == "energy_J" else "linear")
        ax.set_ylabel(label, color=STYLE["ink"], fontsize=STYLE["font"])
        ax.legend(fontsize=STYLE["font"] - 1, frameon=False)
    axes[0].set_title("SPIDER's impact with all motors at 10 A", loc="left", fontsize=STYLE["font"] + 1)
    axes[-1].set_xlabel("stiffness of the obstacle [N/m]", color=STYLE["ink"], fontsize=STYLE["font"])
    save(figure, path)
