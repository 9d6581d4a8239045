"""A design of one's own in orbit: a gantry moves its modules one after the other, with power and heat running."""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

from pydantic import model_validator

from freefloat.errors import FieldError, InputError, about
from freefloat.missions.modular.design_moves import Cell, MoveError, Wish, job_of
from freefloat.missions.modular.gantry_job import GantryJob, GantryScenario
from freefloat.scenario.fields import Settings, file, quantity, setting
from freefloat.scenario.registry import register
from freefloat.structure.design.check import check_structure, located
from freefloat.structure.design.design import Design
from freefloat.structure.design.file import load_design


class MoveSettings(Settings):
    """One move; the module keeps its orientation."""

    module: int = quantity(..., "-", "identity of the module", ge=1, lt=2**63)
    to: Cell = quantity(..., "-", "cell (i, j, k) where it goes; may lie beyond the design's grid", ge=0, lt=1000)


MOVES = (  # the battery comes from below to the top, and the payloads go down by one
    MoveSettings(module=22, to=(0, 0, 3)),
    MoveSettings(module=13, to=(2, 0, 3)),
    MoveSettings(module=4, to=(0, 1, 3)),
    MoveSettings(module=13, to=(1, 0, 0)),
    MoveSettings(module=22, to=(1, 0, 1)),
)


@register
class Rebuild(GantryScenario):
    """A design on its own in low orbit, and a gantry that lifts modules up and lowers them into other cells."""

    kind: ClassVar[str] = "rebuild"
    title: ClassVar[str] = "A design of your own is rebuilt in orbit, move by move, with power and heat running"

    duration: float = quantity(480.0, "s", "simulated time", gt=0, le=1e9)
    design: str = file("mosar-stack", "a design that comes with Freefloat, or the path of a design file")
    moves: tuple[MoveSettings, ...] = setting(MOVES, "modules and where they go, one after the other")
    hand: str = setting(
        "", "interface of the hand, by its name in the design's catalogue; empty: the first that fits what is moved"
    )

    @model_validator(mode="after")
    def _can_be_made(self) -> Rebuild:
        self.planned  # noqa: B018 - which refuses what cannot be made
        return self

    def job(self) -> GantryJob:
        """The design with room for the moves, each of which can be made."""
        return self.planned

    @cached_property
    def planned(self) -> GantryJob:
        """The job, made when the scenario is validated."""
        design = _sound(self.design)
        try:
            return job_of(design, [Wish(move.module, move.to) for move in self.moves], self.hand)
        except MoveError as error:
            raise FieldError(f"moves.{error.number}.{error.field}", str(error)) from None
        except InputError as error:
            raise FieldError("hand", str(error)) from None


def _sound(name: str) -> Design:
    """The design, which must hold together."""
    with about("design"):
        design = load_design(name)
    if design.grid.kind != "cubic":
        raise FieldError("design", f"{name} has a {design.grid.kind} grid; allowed: cubic, for a gantry")
    errors = [f for f in located(design, check_structure(design)[1]) if f.severity == "error"]
    if errors:
        raise FieldError("design", "; ".join(f"{name} has an error, {f}" for f in errors))
    return design
