"""The fields of a plan file, with their units and bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field, create_model

from freefloat.scenario.fields import Settings, quantity, setting

Cell = tuple[int, ...]


class FaceSettings(Settings):
    """A face of a module."""

    module: int = quantity(..., "-", "identity of the module in START", ge=1, lt=2**63)
    side: str = setting(..., "side of its place in T")


class PlanRobotSettings(Settings):
    """A robot, and where it stands before the first operation."""

    name: str = setting(..., "its name in START")
    stands: FaceSettings = setting(..., "the face under the end that stands")


class OperationSettings(Settings):
    """What both kinds of operations have."""

    n: int = quantity(..., "-", "number, counted from 1 in the order of the file", ge=1, lt=2**31)
    robot: str = setting(..., "name of the robot")
    after: tuple[int, ...] = quantity(..., "-", "operations that must have ended before", ge=1, lt=2**31)
    to: Cell = quantity(..., "-", "cell of the module on which it steps, or in which a module is placed")

    @property
    def source(self) -> Cell:
        """The field `from`, whose name is a word of Python."""
        return getattr(self, "from")


class _Step(OperationSettings):
    """The free end closes on a face, the other lets go."""

    kind: Literal["step"] = setting("step", "what is done")
    module: int = quantity(..., "-", "identity of the module on which it steps", ge=1, lt=2**63)
    side: str = setting(..., "side of that module's place in T on which it steps")


class _Transfer(OperationSettings):
    """A module is gripped, carried and placed, in one stance."""

    kind: Literal["transfer"] = setting("transfer", "what is done")
    module: int = quantity(..., "-", "identity of the module that is carried", ge=1, lt=2**63)
    grip: str = setting(..., "side of the module's place, in T, at which the hand closes")
    orientation: int = quantity(..., "-", "number of the orientation in which it is placed", ge=0, lt=24)


def _with_from(name: str, base: type[OperationSettings], meaning: str) -> type[Any]:
    fields: dict[str, Any] = {"from": (Cell, quantity(..., "-", meaning))}
    return create_model(name, __base__=base, __doc__=base.__doc__, **fields)


if TYPE_CHECKING:

    class StepSettings(_Step): ...

    class TransferSettings(_Transfer): ...

else:
    StepSettings = _with_from("StepSettings", _Step, "cell of the module on which it stood")
    TransferSettings = _with_from("TransferSettings", _Transfer, "cell in which the module is")


class PlanSettings(Settings):
    """The whole file, `schema` apart."""

    robots: tuple[PlanRobotSettings, ...] = setting(..., "the robots, in the order of START")
    operations: tuple[Annotated[StepSettings | TransferSettings, Field(discriminator="kind")], ...] = setting(
        ..., "what is done, in an order in which it can be done one by one"
    )
    transfers: int = quantity(..., "-", "how many transfers there are", ge=0)
    steps: int = quantity(..., "-", "how many steps there are", ge=0)
    transfers_bound: int = quantity(..., "-", "no plan has fewer transfers", ge=0)
    cost_s: float = quantity(..., "s", "predicted time of all operations one after the other", ge=0)
    bound_s: float = quantity(..., "s", "no plan takes less", ge=0)
    motion_checks: int = quantity(..., "-", "operations for which a motion was looked for", ge=0)
