"""What parts build: a world described in names only. `Builder` is the one argument of `Part.build`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike

from freefloat.engine.connection import Connection
from freefloat.engine.graph import PLANAR, WORLD, Coupling, Joint, Link, LinkGraph, Motion
from freefloat.engine.imposed import Imposed, impose
from freefloat.engine.placing import place_robot
from freefloat.engine.seen import Seen
from freefloat.engine.signals import Signal, per_second
from freefloat.engine.sources import (
    Acceleration,
    CommandSource,
    ConnectionLoad,
    ConnectionSource,
    FrameSource,
    Load,
    MountLoad,
    RowKept,
    RowOutput,
    RowState,
    Source,
)
from freefloat.engine.tree import coordinates_of
from freefloat.errors import InputError, unknown_name
from freefloat.frames import Pose
from freefloat.kernels.bank import Column, Coordinate, Rate, Row

if TYPE_CHECKING:
    from freefloat.engine.advice import Advice
    from freefloat.engine.task import Task
    from freefloat.engine.upkeep import Upkeep


@dataclass(frozen=True)
class Places:
    """Where modules of a link may be and touch others; `hidden` says of each what does not push (`kernels.modules`)."""

    outline: Literal["box", "prism"]
    size: tuple[float, ...]  # [m] half edges of a box; half across flats, half height of a hexagonal prism
    p_LP: tuple[tuple[float, float, float], ...]  # [m] centres
    hidden: tuple[float, ...]  # at the start; -1: no module


@dataclass
class Blueprint:
    """The described world."""

    parts: list[str] = field(default_factory=list)  # names
    links: dict[str, Link] = field(default_factory=dict)
    joints: dict[str, Joint] = field(default_factory=dict)
    frames: dict[str, tuple[str, Pose]] = field(default_factory=dict)  # name -> (link, X_LF)
    commands: dict[str, Signal] = field(default_factory=dict)
    rows: dict[str, Row] = field(default_factory=dict)
    sources: dict[str, tuple[Signal, tuple[Source, ...]]] = field(default_factory=dict)
    loads: list[Load] = field(default_factory=list)  # of the sources
    recorded: list[str] = field(default_factory=list)  # signals of the default log
    roots: list[str] = field(default_factory=list)
    motions: dict[str, Motion] = field(default_factory=dict)  # root link -> start
    joint_start: dict[str, tuple[float, float]] = field(default_factory=dict)  # joint -> (q, q')
    connections: dict[str, Connection] = field(default_factory=dict)
    outputs: set[str] = field(default_factory=set)  # commands that belong to upkeeps
    limits: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = field(default_factory=dict)  # of commands
    starts: dict[str, tuple[float, ...]] = field(default_factory=dict)  # of commands that do not start at zero
    imposed: dict[str, Imposed] = field(default_factory=dict)  # joint -> the course that it follows
    couplings: dict[str, Coupling] = field(default_factory=dict)  # joint -> the one that leads it
    notes: list[str] = field(default_factory=list)  # what parts tell of the files that they are from
    places: dict[str, Callable[[], Places]] = field(default_factory=dict)  # of links with modules that touch
    tasks: list[Task] = field(default_factory=list)  # that parts bring
    upkeeps: list[Upkeep] = field(default_factory=list)  # that parts bring
    advices: list[Advice] = field(default_factory=list)  # on the longest step
    seen: Seen = field(default_factory=Seen)  # what is shown beside the shapes of links

    def frame(self, name: str) -> tuple[str, Pose]:
        """(link, X_LF) of a named frame."""
        if name not in self.frames:
            raise unknown_name("frame", name, self.frames)
        return self.frames[name]

    def signal(self, name: str) -> Signal:
        """The signal of a name."""
        if name not in self.sources:
            raise unknown_name("signal", name, self.sources)
        return self.sources[name][0]


class Part(Protocol):
    """Something placed in the world."""

    @property
    def name(self) -> str: ...

    def build(self, b: Builder) -> None: ...


class Builder:
    """Collects what one part contributes; every name gets the part's name in front."""

    def __init__(self, blueprint: Blueprint, part: str) -> None:
        self.blueprint = blueprint
        self.part = part

    def full(self, name: str) -> str:
        """`part.name`; the empty name is the part itself."""
        return f"{self.part}.{name}" if name else self.part

    def short(self, names: Sequence[str]) -> tuple[str, ...]:
        """Full names without the part's: labels of what stands below it."""
        return tuple(name.removeprefix(f"{self.part}.") for name in names)

    def body(self, link: Link, motion: Motion | None = None) -> str:
        """Add a link; with `motion`, it is a root that starts there. Returns its full name."""
        name = self.full(link.name)
        bp = self.blueprint
        _new("link", name, bp.links)
        bp.links[name] = replace(link, name=name)
        bp.frames[name] = (name, Pose.identity())
        for frame, X_LF in link.frames.items():
            self.frame(frame, name, X_LF)
        if motion is not None:
            bp.roots.append(name)
            bp.motions[name] = motion
        self._frame_signals(name, "B", recorded=("p", "q", "v", "w") if motion is not None else ("p", "q"))
        meaning = "force and torque on the link from what it hangs on, about its origin"
        self.signal(Signal(f"{name}.mount_load", "N, N m", (6,), "W", meaning), [MountLoad(name)], recorded=False)
        return name

    def joint(self, joint: Joint, q: float = 0.0, qd: float = 0.0, parent: str | None = None) -> str:
        """Add a joint between links of this part (short names), or from the world or `parent` (full name) to one.

        Returns its full name.
        """
        name = self.full(joint.name)
        bp = self.blueprint
        _new("joint", name, bp.joints)
        if joint.kind != "fixed" and not joint.lower <= q <= joint.upper:
            raise InputError(f"joint {name!r}: start position {q:g} is outside [{joint.lower:g}, {joint.upper:g}]")
        if parent is None:
            parent = joint.parent if joint.parent == WORLD else self.full(joint.parent)
        bp.joints[name] = replace(joint, name=name, parent=parent, child=self.full(joint.child))
        bp.joint_start[name] = (q, qd)
        return name

    def graph(self, graph: LinkGraph, q: Sequence[float], on: str | None, motion: Motion | None) -> list[str]:
        """Add a robot: mounted on the frame `on`, or floating from `motion`. Returns its moving joints in order.

        One whose root is `WORLD` stands on the frame `on`, or on the world, where `motion` says.
        """
        return place_robot(self, graph, q, on, motion or Motion())

    def mount(self, on: str, link: str) -> None:
        """Fix a link of this part to a named frame of another part."""
        self.fix("mount", link, *self.blueprint.frame(on))

    def fix(self, name: str, link: str, parent: str, X_PL: Pose) -> None:
        """Fix a link of this part to one of any part, or to the world."""
        name = self.full(name)
        _new("joint", name, self.blueprint.joints)
        self.blueprint.joints[name] = Joint(name, "fixed", parent, self.full(link), X_PL)

    def anchor(self, link: str, X_WL: Pose) -> None:
        """Fix a link of this part to the world."""
        self.fix("anchor", link, WORLD, X_WL)

    def glide(self, link: str, pose: Sequence[float], rate: Sequence[float]) -> tuple[str, ...]:
        """Let a link of this part glide in the plane z = 0 of the world, from [x, y, theta] and their rates.

        Signals `part.pose` and `part.rate`; returns the names of the three coordinates.
        """
        edge = Joint(self.full("glide"), "planar", WORLD, self.full(link), Pose.identity())
        _new("joint", edge.name, self.blueprint.joints)
        self.blueprint.joints[edge.name] = edge
        names = coordinates_of(edge)
        if not (np.shape(pose) == np.shape(rate) == (3,) and np.isfinite([pose, rate]).all()):
            raise InputError(f"part {self.part!r}: glides from {pose!r} at {rate!r}; allowed: 3 finite numbers each")
        for name, q, qd in zip(names, pose, rate, strict=True):
            self.blueprint.joint_start[name] = (float(q), float(qd))
        where = Signal(self.full("pose"), "m, m, rad", (3,), "W", "x, y and theta; theta counts turns", PLANAR)
        self.signal(where, [Coordinate(name) for name in names])
        rates = Signal(self.full("rate"), "m/s, m/s, rad/s", (3,), "W", "rates of x, y and theta", PLANAR)
        self.signal(rates, [Rate(name) for name in names])
        return names

    def frame(self, name: str, link: str, X_LF: Pose) -> None:
        """Name a frame on a link (full name); its pose and velocity are signals."""
        full = self.full(name)
        _new("frame", full, self.blueprint.frames)
        self.blueprint.frames[full] = (link, X_LF)
        self._frame_signals(full, "F", recorded=("p", "q"))

    def command(
        self,
        name: str,
        shape: tuple[int, ...],
        unit: str,
        meaning: str = "",
        limits: tuple[ArrayLike, ArrayLike] | None = None,
        start: Sequence[float] | None = None,
        labels: Sequence[str] = (),
        recorded: bool = True,
    ) -> str:
        """Declare a command; it is `start`, or zero, until written, then held. Also readable as a signal.

        `limits`, lower and upper, say what of it has an effect, for whoever writes it; nothing is refused.
        """
        signal = Signal(self.full(name), unit, shape, "", meaning or "held command", tuple(labels))
        full = self._held(signal, recorded)
        if limits is not None:
            lower, upper = (np.broadcast_to(np.asarray(v, dtype=np.float64), shape).ravel().tolist() for v in limits)
            self.blueprint.limits[full] = tuple(lower), tuple(upper)
        if start is not None:
            self.blueprint.starts[full] = tuple(start)
        return full

    def output(
        self,
        name: str,
        shape: tuple[int, ...],
        unit: str,
        meaning: str,
        recorded: bool = True,
        start: Sequence[float] | None = None,
        labels: Sequence[str] = (),
    ) -> str:
        """Declare a value that an upkeep writes with `World.write` and that anybody reads as a signal; it is `start`,
        or zero, until then.
        """
        full = self._held(Signal(self.full(name), unit, shape, "", meaning, tuple(labels)), recorded)
        self.blueprint.outputs.add(full)
        if start is not None:
            self.blueprint.starts[full] = tuple(start)
        return full

    def _held(self, signal: Signal, recorded: bool = True) -> str:
        _new("command", signal.name, self.blueprint.commands)
        self.blueprint.commands[signal.name] = signal
        self.signal(signal, [CommandSource(signal.name)], recorded)
        return signal.name

    def add(self, row: Row) -> Row:
        """Add a row to a bank."""
        _new("bank row", row.name, self.blueprint.rows)
        self.blueprint.rows[row.name] = row
        return row

    def impose(self, joints: Sequence[str], command: str, eta: float = 50.0) -> None:
        """Let coordinates of joints (full names) follow courses, whatever efforts that takes.

        q(t) = sum of c_k (t - t0)^k, t the world's time [s]; [t0, c0 .. c5] of each joint are seven numbers of the
        command (full name), in order. What a coordinate is off fades with Baumgarte's rate `eta` [1/s]. Signals
        `part.effort` and `part.error`. A joint starts where its course does.
        """
        impose(self, joints, command, eta)

    def task(self, task: Task) -> None:
        """Bring a task of the part's own, such as a valve driver; it runs behind the mission's tasks."""
        self.blueprint.tasks.append(task)

    def upkeep(self, upkeep: Upkeep) -> None:
        """Bring an upkeep, mostly the part itself."""
        self.blueprint.upkeeps.append(upkeep)

    def advise(self, advice: Advice) -> None:
        """Say what step the part needs: one that is longer is warned of, and `step: auto` heeds it."""
        self.blueprint.advices.append(advice)

    def signal(self, signal: Signal, sources: Iterable[Source], recorded: bool = True) -> None:
        """Declare a signal (full name) made of consecutive sources."""
        _new("signal", signal.name, self.blueprint.sources)
        sources = tuple(sources)
        self.blueprint.sources[signal.name] = (signal, sources)
        self.blueprint.loads += [s for s in sources if isinstance(s, Load)]
        if recorded:
            self.blueprint.recorded.append(signal.name)

    def signal_of(
        self,
        name: str,
        rows: Sequence[Row],
        quantity: str,
        meaning: str = "",
        unit: str | None = None,
        recorded: bool = True,
        labels: Sequence[str] = (),
    ) -> None:
        """Declare the signal `part.name`: a named state or output of these rows, one entry each."""
        states, outputs = declared_states(rows[0]), declared_outputs(rows[0])
        kept = {c.name: c for c in rows[0].bank.kept}
        declared = (states | kept | outputs).get(quantity)
        if declared is None:
            raise unknown_name(f"state or output of {rows[0].bank.name!r}", quantity, states | kept | outputs)
        source = RowOutput if quantity in outputs else RowKept if quantity in kept else RowState
        told = meaning or declared.meaning
        signal = Signal(self.full(name), unit or declared.unit, (len(rows),), declared.frame, told, tuple(labels))
        self.signal(signal, [source(row.name, quantity) for row in rows], recorded)

    def joint_signals(self, joints: Sequence[str], unit: str = "rad") -> None:
        """`part.q`, `part.qd` and `part.qdd` of some joints; several units, as "rad, m", are those of the joints."""
        n, labels = (len(joints),), self.short(joints)
        q = Signal(self.full("q"), unit, n, meaning="joint positions", labels=labels)
        self.signal(q, [Coordinate(j) for j in joints])
        qd = Signal(self.full("qd"), per_second(unit), n, meaning="joint rates", labels=labels)
        self.signal(qd, [Rate(j) for j in joints])
        qdd = Signal(self.full("qdd"), per_second(unit, 2), n, meaning="joint accelerations", labels=labels)
        self.signal(qdd, [Acceleration(j) for j in joints], recorded=False)

    def _frame_signals(self, name: str, letter: str, recorded: tuple[str, ...]) -> None:
        for quantity, label, unit, n, frame, meaning in (
            ("p", f"p_W{letter}", "m", 3, "W", "position of the origin"),
            ("q", f"q_W{letter}", "-", 4, "W", "attitude quaternion, scalar first"),
            ("v", f"v_W{letter}", "m/s", 3, "W", "velocity of the origin"),
            ("w", f"w_W{letter}_{letter}", "rad/s", 3, letter, "angular velocity"),
            ("f", f"f_W{letter}_{letter}", "m/s^2", 3, letter, "specific force: what an accelerometer feels"),
        ):
            signal = Signal(f"{name}.{label}", unit, (n,), frame, meaning)
            self.signal(signal, [FrameSource(name, quantity)], recorded=quantity in recorded)


def declared_states(row: Row) -> dict[str, Column]:
    """Named states of a row's bank."""
    return {s.name: Column(s.name, s.unit, meaning=s.meaning) for s in row.bank.states}


def declared_outputs(row: Row) -> dict[str, Column]:
    """Named outputs of a row's bank."""
    return {c.name: c for c in row.bank.outputs}


def _new(kind: str, name: str, existing: object) -> None:
    assert isinstance(existing, dict)
    if name in existing:
        raise InputError(f"two {kind}s are named {name!r}; names must differ")


def draw(parts: Sequence[Part], connections: Sequence[Connection] = (), rows: Sequence[Row] = ()) -> Blueprint:
    """Let every part build, then add connections and rows that belong to no part."""
    bp = Blueprint()
    for part in parts:
        if isinstance(part, Blueprint):
            raise InputError("a blueprint among the parts; give it in their place")
        if part.name in bp.parts:
            raise InputError(f"two parts are named {part.name!r}; names must differ")
        if not part.name or any(c.isspace() or c == "." for c in part.name):
            raise InputError(f"part name {part.name!r}: a name has no space and no dot")
        if part.name == WORLD:
            raise InputError(f"part name {WORLD!r}: that is the ground; choose another name")
        bp.parts.append(part.name)
        part.build(Builder(bp, part.name))
    for c in connections:
        _new("connection", c.name, bp.connections)
        bp.frame(c.a)
        bp.frame(c.b)
        bp.connections[c.name] = c
        b = Builder(bp, c.name)
        load = Signal(f"{c.name}.load", "N, N m", (6,), "W", "force and torque on side b; nan while no constraint")
        b.signal(load, [ConnectionSource(c.name, "load")])
        carried = Signal(f"{c.name}.carried_load", "N, N m", (6,), "W", "force and torque on side b; nan while open")
        b.signal(carried, [ConnectionLoad(c.name)], recorded=False)
        error = Signal(f"{c.name}.error", "m, rad", (6,), "W", "constraint violation; nan while no constraint")
        b.signal(error, [ConnectionSource(c.name, "error")])
        if c.pushes:
            push = Signal(f"{c.name}.push", "N", (), "", f"force on side b along {c.pushes} of side a; nan while open")
            b.signal(push, [ConnectionSource(c.name, "push")])
    for row in rows:
        b = Builder(bp, row.name)
        b.add(row)
        for quantity in declared_states(row) | declared_outputs(row):
            b.signal_of(quantity, [row], quantity)
    # a bank's rows stand together, because its states and outputs are one slice
    order = {name: n for n, name in enumerate(dict.fromkeys(r.bank.name for r in bp.rows.values()))}
    bp.rows = dict(sorted(bp.rows.items(), key=lambda item: order[item[1].bank.name]))
    return bp
