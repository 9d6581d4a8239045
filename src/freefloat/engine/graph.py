"""The mechanical structure as a graph: links (rigid bodies) joined by edges. Which link is the root is chosen at build.

A part owns some links and joints; connections made at run time are further edges. The graph never mentions a tree:
`engine.tree.compile_tree` chooses roots and turns edges against their declared direction where it must, without ever
changing the sign of a joint coordinate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from freefloat.amounts import Amount, Measure, Measures, in_numbers, take, take_rows
from freefloat.errors import InputError
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape

Vector = NDArray[np.float64]
MassOf = tuple[float, Vector, Vector]  # mass [kg], p_LLcm [m], I_LLcm_L [kg m^2]
Hold = Literal["tree", "constraint"]

JointKind = Literal["revolute", "prismatic", "fixed", "planar"]
WORLD = "world"  # the name of the ground as a joint's parent; in a `LinkGraph`, of what the robot stands on
PLANAR = ("x", "y", "theta")  # coordinates of a planar joint `name`: `name.x`, `name.y`, `name.theta`


def _own(record: Link | Joint | Lump, **arrays: tuple[tuple[int, ...], str]) -> None:
    """Give a frozen dataclass read-only copies of its arrays, each of a shape and in a unit."""
    for name, (shape, unit) in arrays.items():
        given = getattr(record, name)
        what = f"{type(record).__name__.lower()} {getattr(record, 'name', '')!r}: {name}"
        try:
            array = np.array(in_numbers(given, unit, what), dtype=np.float64)
        except (TypeError, ValueError):
            array = np.empty(0)
        if array.shape != shape:
            raise InputError(f"{what} is {given!r}; allowed: numbers of shape {shape}")
        array.setflags(write=False)
        object.__setattr__(record, name, array)


def _shapes(link: str, given: Sequence[Shape]) -> tuple[Shape, ...]:
    if not isinstance(given, Sequence) or not all(isinstance(shape, Shape) for shape in given):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(f"link {link!r}: touching is {given!r}; allowed: shapes, or None for those that are seen")
    return tuple(given)


@dataclass(frozen=True)
class Link:
    """A rigid body with frame L. `I_LLcm_L` is the inertia about the centre of mass Lcm, in axes of L [kg m^2].

    Its arrays, its frames and what it touches with are copies that nobody can write.
    """

    name: str
    mass: Measure  # [kg]
    p_LLcm: Vector  # [m]
    I_LLcm_L: Vector  # [kg m^2], (3, 3)
    shapes: tuple[Shape, ...] = ()  # those that are seen
    frames: Mapping[str, Pose] = field(default_factory=lambda: MappingProxyType({}))  # name -> X_LF
    variable: bool = False  # its mass properties may change while the run goes on
    touching: tuple[Shape, ...] | None = None  # shapes that touch others; None: those that are seen

    def __post_init__(self) -> None:
        take(self, f"link {self.name!r}", mass=Amount("kg"))
        _own(self, p_LLcm=((3,), "m"), I_LLcm_L=((3, 3), "kg m^2"))
        object.__setattr__(self, "frames", MappingProxyType(dict(self.frames)))
        if self.touching is not None:
            object.__setattr__(self, "touching", _shapes(self.name, self.touching))

    @property
    def contact_shapes(self) -> tuple[Shape, ...]:
        """The shapes that touch others."""
        return self.shapes if self.touching is None else self.touching

    def __getstate__(self) -> dict[str, object]:
        """For pickle and copies, which know no read-only mapping."""
        return {**self.__dict__, "frames": dict(self.frames)}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self.__post_init__()


@dataclass(frozen=True)
class Joint:
    """An edge from link P to link C: X_PC(q) = X_PJ motion(axis, q) X_JC.

    The coordinate q [rad or m] is the motion of C relative to P along `axis` (unit vector in J), whichever of the two
    is nearer to the root. The limits and effects are data for banks and controllers; the graph itself is ideal.
    A planar joint has three coordinates, X_PC = X_PJ (slide x, slide y, turn theta about z) X_JC, and stands on the
    world only. Joints in series between the same two links, with nothing massive between them, are declared one behind
    the other, all but the first with `series`: X_PC is the product of theirs.
    """

    name: str
    kind: JointKind
    parent: str
    child: str
    X_PJ: Pose
    axis: Vector = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    X_JC: Pose = field(default_factory=Pose.identity)
    lower: Measure = -np.inf  # [rad or m]
    upper: Measure = np.inf  # [rad or m]
    velocity: Measure = np.inf  # [rad/s or m/s] largest speed
    effort: Measure = np.inf  # [N m or N] largest drive effort
    damping: Measure = 0.0  # [N m s/rad or N s/m]
    stiffness: Measure = 0.0  # [N m/rad or N/m]
    springref: Measure = 0.0  # [rad or m]
    armature: Measure = 0.0  # [kg m^2 or kg] rotor inertia seen at the joint
    friction: Measure = 0.0  # [N m or N] dry friction (Coulomb)
    series: bool = False  # goes on where the joint before it, between the same two links, ends

    def __post_init__(self) -> None:
        _own(self, axis=((3,), "-"))
        x, f, inertia = ("m", "N", "kg") if self.kind == "prismatic" else ("rad", "N m", "kg m^2")
        where, any_x, any_f = f"joint {self.name!r}", Amount(x, inf=True), Amount(f, inf=True)
        take(self, where, lower=any_x, upper=any_x, springref=Amount(x), velocity=Amount(f"{x}/s", inf=True))
        take(self, where, effort=any_f, friction=Amount(f), armature=Amount(inertia))
        take(self, where, stiffness=Amount(f"{f}/{x}"), damping=Amount(f"{f} s/{x}"))

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self.__post_init__()


@dataclass(frozen=True)
class Motion:
    """Pose and velocity of a link at the start."""

    X_WL: Pose = field(default_factory=Pose.identity)
    w_WL_L: Measures = (0.0, 0.0, 0.0)  # [rad/s]
    v_WL: Measures = (0.0, 0.0, 0.0)  # [m/s]

    def __post_init__(self) -> None:
        if not isinstance(self.X_WL, Pose):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"motion: X_WL {self.X_WL!r}; allowed: a Pose")
        take_rows(self, "motion", 3, w_WL_L=Amount("rad/s"), v_WL=Amount("m/s"))


@dataclass(frozen=True)
class Closed:
    """A closed connection: the edge that it is now, and how it is held."""

    edge: Joint  # X_PC is the pose that a tree keeps exactly, or that a constraint draws to
    hold: Hold
    eta: float  # [1/s] Baumgarte rate, where a constraint holds it


@dataclass(frozen=True)
class Lump:
    """Mass that leaves the link S for another: its properties in S, at the instant of the change."""

    source: str
    target: str
    mass: float  # [kg]
    p_SScm: Vector  # [m] centre of the lump
    I_SScm_S: Vector  # [kg m^2] about it

    def __post_init__(self) -> None:
        _own(self, p_SScm=((3,), "m"), I_SScm_S=((3, 3), "kg m^2"))


@dataclass(frozen=True)
class Coupling:
    """A joint that another one leads: q = sum of c_k q_leader^k, k from 0 to 4."""

    joint: str
    leader: str
    coefficients: tuple[float, float, float, float, float]  # c0 .. c4 [rad or m, per (rad or m)^k]


@dataclass(frozen=True)
class Actuator:
    """A command u that acts on a joint: effort = clip(gain u + constant + position q + rate q')."""

    name: str
    joint: str
    gain: float = 1.0  # [N m or N, per unit of u]
    constant: float = 0.0  # [N m or N]
    position: float = 0.0  # [N m/rad or N/m] mostly negative
    rate: float = 0.0  # [N m s/rad or N s/m] mostly negative
    effort: tuple[float, float] = (-np.inf, np.inf)  # [N m or N] limits
    control: tuple[float, float] = (-np.inf, np.inf)  # limits of u
    unit: str = "-"  # of u


@dataclass(frozen=True)
class LinkGraph:
    """Links and joints of one robot or structure; `root` is the link that a new part hangs from by default.

    Where `root` is `WORLD`, the robot stands on something that is no link of its own: joints with the parent `WORLD`
    tie links to it, and `ground` holds its shapes. Links in `floating` hang from nothing at all. A fixed joint that
    closes a loop is held by a constraint.
    """

    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    root: str
    couplings: tuple[Coupling, ...] = ()
    actuators: tuple[Actuator, ...] = ()
    ground: tuple[Shape, ...] = ()  # in axes of what the robot stands on
    floating: Mapping[str, Pose] = field(default_factory=lambda: MappingProxyType({}))  # link -> X_BL at the start
    start: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))  # joint -> its file's own posture
    notes: tuple[str, ...] = ()  # what of its file was read past, merged or taken another way
    skipped: tuple[str, ...] = ()  # what of its file cannot be modelled and was left out
    file: str = ""  # where it is from

    @property
    def moving(self) -> list[Joint]:
        """The joints that move, in order."""
        return [j for j in self.joints if j.kind != "fixed"]

    def rest(self) -> list[float]:
        """Positions of the moving joints where nobody says otherwise: the file's own, else the one nearest to zero that
        the limits allow; a joint that another leads is where that says.
        """
        q = {j.name: self.start.get(j.name, min(max(0.0, j.lower), j.upper)) for j in self.moving}
        for _ in self.couplings:  # as often as a leader may itself be led
            for c in self.couplings:
                if c.joint in q and c.leader in q:
                    q[c.joint] = float(sum(a * q[c.leader] ** k for k, a in enumerate(c.coefficients)))
        return list(q.values())
