"""What goes into a cycle of the operation and what comes out, its settings, and what it needs from others."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from freefloat.amounts import Count, Measure, UnfitError, positive, share, take
from freefloat.facility.axis_limits import AxisLimits, axis_limits
from freefloat.facility.modes import Mode, Reason, State
from freefloat.facility.record import Frame, Record
from freefloat.facility.security import Security
from freefloat.frames import Array, Pose


class Kinematics(Protocol):
    """Records to ideal axes and back (`facility.kinematics`)."""

    def to_axes(self, record: Record, axes_now: Array) -> Array: ...
    def from_axes(self, frame: Frame, axes: Array, pov: Array) -> Record: ...
    def tool_poses(self, axes: Array) -> tuple[Pose, Pose]: ...


class Violation(Protocol):
    """A limit that a posture or a step breaks (`facility.limits`); its text is one line."""

    @property
    def kind(self) -> str: ...
    @property
    def device(self) -> str: ...
    @property
    def axis(self) -> str: ...
    @property
    def value(self) -> float: ...
    @property
    def limit(self) -> float: ...


class Limits(Protocol):
    """Limits of one cycle (`facility.limits`)."""

    def check(self, axes: Array, last: Array, before: Array) -> Violation | None:
        """The first one that `axes` break, where they were `last` one cycle and `before` two cycles ago."""
        ...


class Nearest(Protocol):
    """What comes too near to what (`facility.clearance`); its text says how near."""

    @property
    def distance(self) -> float: ...  # [m]
    @property
    def a(self) -> str: ...
    @property
    def b(self) -> str: ...


class Clearance(Protocol):
    """Distances of solids (`facility.clearance`)."""

    @property
    def margin(self) -> float: ...  # [m]

    def too_near(self, axes: Array) -> Nearest | None:
        """What is nearer than the margin."""
        ...


class StaticModel(Protocol):
    """Ideal axes to motor axes and back (`facility.static_model`)."""

    def to_motor(self, axes: Array) -> Array: ...
    def to_ideal(self, motors: Array) -> Array: ...


class Trajectory(Protocol):
    """Rows of commands (`facility.trajectory`)."""

    @property
    def frames(self) -> Any: ...  # (n,)
    @property
    def values(self) -> Any: ...  # (n, 22)


class Identity:
    """The static model of robots as they should be."""

    def to_motor(self, axes: Array) -> Array:
        """The same."""
        return axes

    def to_ideal(self, motors: Array) -> Array:
        """The same."""
        return motors


@dataclass(frozen=True)
class Settings:
    """Parameters of the operation; assumed where no source is named, docs/reference/parameters.md."""

    axes: AxisLimits = field(default_factory=axis_limits)
    silent_cycles: Measure = 5  # [-] that an application may miss in a row; the motion goes on at constant velocity
    on_invalid: Literal["stop", "coast"] = "stop"  # a record that is none: safe stop, or as if it had not come
    on_limit: Literal["stop", "follow"] = "stop"  # a command beyond limits of speed or acceleration
    jump: Measure = 0.25  # [-] of a cycle at full speed: how far a command may be from where the last were heading
    settling: Measure = 0.25  # [s] that robots have to follow an emergency stop before power is dropped, at most
    start_share: Measure = 0.2  # [-] of the axes' speeds in Move to Start
    jog_speed: Measure = 0.5  # [m/s] of a tool in a jog, at most
    door_speed: Measure = 0.25  # [m/s] the same while a door or gate is open
    jog_timeout: Measure = 0.2  # [s] a jog stops where no request has come for so long
    tool_acceleration: Measure = 0.5  # [m/s^2] of jogs of a component
    turn_acceleration: Measure = 1.0  # [rad/s^2]
    tool_jerk: Measure = 5.0  # [m/s^3]
    turn_jerk: Measure = 10.0  # [rad/s^3]
    controllers: bool = False  # whether robot controllers are attached, for `hardware`

    def __post_init__(self) -> None:
        where = "operation"
        take(self, where, silent_cycles=Count(0, 1000), jump=positive("-"), start_share=share())
        take(self, where, settling=positive("s"))
        take(self, where, jog_speed=positive("m/s"), door_speed=positive("m/s"), jog_timeout=positive("s"))
        take(self, where, tool_acceleration=positive("m/s^2"), turn_acceleration=positive("rad/s^2"))
        take(self, where, tool_jerk=positive("m/s^3"), turn_jerk=positive("rad/s^3"))
        for name, allowed in (("on_limit", ("stop", "follow")), ("on_invalid", ("stop", "coast"))):
            if getattr(self, name) not in allowed:
                raise UnfitError(where, name, getattr(self, name), ", ".join(allowed))


@dataclass(frozen=True, eq=False)
class Inputs:
    """What the FMC gets in a cycle."""

    cycle: int
    time: float  # [s]
    encoders: Array  # (13,) motor axes
    application: Array | None = None  # (24,) [cycle echoed, mode, values]; None: no answer
    errors: tuple[str, str] = ("", "")  # of the robots; empty: none
    corrections: Array | None = None  # (13,) of mode rsi, from the axes at the start
    late: int = 0  # cycles that were skipped so far


@dataclass
class Counters:
    """Cycles and records that were not as they should be, since the operation began."""

    missing: int = 0  # cycles of a run without a valid answer
    rejected: int = 0  # records refused
    late: int = 0  # cycles skipped
    stops: int = 0  # safe and emergency stops


@dataclass(frozen=True, eq=False)
class Outputs:
    """What the FMC gives in a cycle. Arrays are not to be written to."""

    cycle: int
    time: float  # [s]
    state: State
    mode: Mode
    axes: Array  # (13,) ideal set-points [m, rad]
    velocity: Array  # (13,) exact where the FMC makes the motion, else from the last three commands
    acceleration: Array  # (13,)
    motors: Array  # (13,) motor set-points
    actual: Array  # (13,) ideal axes of the encoders
    power: bool  # of the drives
    brakes: bool  # closed
    record: Array  # (24,) state for the application: [cycle, mode, values] in the frame of the last command
    frame: Frame  # of the last command
    pov: Array  # (7,) of the last command
    command: Record | None  # the record that this cycle executes as it is; None: the FMC made the set-point
    reason: Reason  # of the last stop
    counters: Counters  # of now; the next cycle changes them
    security: Security  # of now; the next action changes it
