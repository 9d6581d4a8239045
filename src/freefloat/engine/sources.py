"""Where the numbers of a signal come from, in names: each source fills consecutive entries."""

from __future__ import annotations

from dataclasses import dataclass

from freefloat.kernels.bank import Coordinate, Rate


@dataclass(frozen=True)
class FrameSource:
    """A quantity of a named frame: "p" (3), "q" (4), "v" (3), "w" (3) or "f" (3), the specific force."""

    frame: str
    quantity: str


@dataclass(frozen=True)
class Acceleration:
    """A joint's acceleration."""

    joint: str


@dataclass(frozen=True)
class RowOutput:
    """Output `entry` of a bank row: its name, or its number where the bank declares none."""

    row: str
    entry: int | str = 0


@dataclass(frozen=True)
class RowState:
    """State `entry` of a bank row: its name, or its number where the bank declares none."""

    row: str
    entry: int | str = 0


@dataclass(frozen=True)
class RowKept:
    """What a bank row keeps under the name `entry`."""

    row: str
    entry: str


@dataclass(frozen=True)
class CommandSource:
    """All entries of a command as held now."""

    name: str


@dataclass(frozen=True)
class ConnectionSource:
    """Of a connection held by a constraint: "load" (6), "error" (6) or "push" (1); not a number while it is not."""

    connection: str
    quantity: str


@dataclass(frozen=True)
class ImposedSource:
    """Of a joint's imposed motion: its "effort" or its "error"."""

    joint: str
    quantity: str


@dataclass(frozen=True)
class ConnectionLoad:
    """[force; torque] (6) in W on side b through a connection, however it is held; not a number while it is open.

    The torque is about side a's frame as side b carries it, or about the frame `about`.
    """

    connection: str
    about: str = ""


@dataclass(frozen=True)
class MountLoad:
    """[force; torque] (6) in W on a link from what it hangs on, torque about its own frame or the frame `about`.

    `turned`: in axes of that frame, as a sensor there measures it. A root hangs on nothing: zero, to rounding.
    """

    link: str
    about: str = ""
    turned: bool = False


@dataclass(frozen=True)
class InterfaceLoad:
    """Sizes of force and torque [N, N m] (2) through a hand: of its connection, and while that is open of the mount of
    the link that it carries; torque about the frame `about`, or the link's.

    With `limits`, a command of two numbers [N, N m], the larger share of its limit that one of them has (1).
    """

    connection: str
    link: str
    about: str
    limits: str = ""


Load = ConnectionLoad | MountLoad | InterfaceLoad
Source = (
    FrameSource
    | Coordinate
    | Rate
    | Acceleration
    | RowOutput
    | RowState
    | RowKept
    | CommandSource
    | ConnectionSource
    | ImposedSource
    | Load
)
