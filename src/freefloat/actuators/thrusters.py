"""Thrusters on a body, and the tank that they draw from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from freefloat.actuators.pulses import Pulses
from freefloat.actuators.valves import Valves
from freefloat.amounts import Amount, Measure, Measures, not_negative, positive, take, take_rows
from freefloat.engine.blueprint import Builder
from freefloat.engine.graph import Link, Vector
from freefloat.engine.seen import Jet
from freefloat.engine.world import World
from freefloat.errors import InputError, SimulationError
from freefloat.geometry.shape import Shape
from freefloat.inertia import parallel_axis
from freefloat.kernels.cold_gas import COLD_GAS
from freefloat.kernels.thruster import THRUSTER
from freefloat.units import G0


@dataclass(frozen=True)
class Feed:
    """How the pressure at a cold-gas valve falls: see `kernels.cold_gas`."""

    drop: Measure = 0.0  # [-] of the thrust, with every further open valve of its manifold
    sag: Measure = 0.0  # [-] of the thrust, in the long run with one open valve
    sag_lag: Measure = 1.0  # [s]

    def __post_init__(self) -> None:
        below_one = Amount("-", ge=0.0, lt=1.0)
        take(self, "feed", drop=below_one, sag=below_one, sag_lag=positive("s"))


STEADY = Feed()  # no drop and no sag


@dataclass(frozen=True)
class Thruster:
    """One thruster in the frame of its set. `direction` is that of its force; the exhaust goes the other way."""

    position: Measures  # [m]
    direction: Measures  # [-] normalised where it is used
    thrust: Measure = 1.0  # [N]
    specific_impulse: Measure = 220.0  # [s]
    opening: Measure = 0.0  # [s] lag of the valve; both lags zero or both positive
    closing: Measure = 0.0  # [s]
    strength: Measure = 1.0  # [-] true thrust over nominal
    tilt: Measures = (0.0, 0.0, 0.0)  # [rad] rotation vector of the direction's error

    def __post_init__(self) -> None:
        take_rows(self, "thruster", 3, position=Amount("m"), direction=Amount("-"), tilt=Amount("rad"))
        take(self, "thruster", thrust=positive("N"), specific_impulse=positive("s"), strength=not_negative("-"))
        take(self, "thruster", opening=not_negative("s"), closing=not_negative("s"))


@dataclass(frozen=True)
class Thrusters:
    """A set of thrusters on the body of the frame `on`.

    Command `name.open` (n,): 0 closed to 1 open. Signals: `name.thrust` [N], `name.propellant` drawn [kg],
    `name.impulse` [N s]. With `manifolds`, the pressure at the valves falls as `feed` says; further signals then are
    `name.on_time` [s], the commanded open time, and `name.loss` of each manifold's pressure, which a `GasSupply` sets.
    """

    name: str
    on: str
    thrusters: Sequence[Thruster]
    valves: Valves | Pulses | None = None  # their driver turns `name.request` or `name.pulse` into `name.open`
    manifolds: Sequence[int] = ()  # of each thruster, from 0; empty: each has a constant supply
    feed: Feed = STEADY

    def build(self, b: Builder) -> None:
        """One bank row per thruster; refused when a plume would go through the body that carries it."""
        link, X_LF = b.blueprint.frame(self.on)
        n = len(self.thrusters)
        if n == 0:
            raise InputError(f"thrusters {self.name!r}: the set is empty")
        labels = tuple(f"thruster {k}" for k in range(n))
        command = b.command("open", (n,), "-", "valve command, 0 closed to 1 open", (0.0, 1.0), labels=labels)
        if self.valves is not None:
            name, unit, meaning = self.valves.command
            b.command(name, (n,), unit, meaning, labels=labels)
            b.task(self.valves.task(self.name, len(self.thrusters)))
        feed = self.feed
        if self.manifolds and len(self.manifolds) != n:
            raise InputError(f"thrusters {self.name!r}: {len(self.manifolds)} manifolds for {n} thrusters")
        loss = ""
        if self.manifolds:
            count = (max(self.manifolds) + 1,)
            names = tuple(f"manifold {k}" for k in range(count[0]))
            loss = b.output("loss", count, "-", "pressure lost at each manifold", recorded=False, labels=names)
        rows = []
        for k, t in enumerate(self.thrusters):
            where = f"thrusters {self.name!r}, number {k}"
            d = np.asarray(t.direction, dtype=np.float64)
            if not np.linalg.norm(d) > 0.0:
                raise InputError(f"{where}: direction {t.direction} has no length")
            if not ((t.opening == t.closing == 0.0) or (t.opening > 0.0 and t.closing > 0.0)):
                raise InputError(f"{where}: opening and closing lags must both be zero or both positive")
            d = d / np.linalg.norm(d)
            p_LP, d_L = X_LF.apply(np.asarray(t.position, dtype=np.float64)), X_LF.R @ d
            _check_plume(b.blueprint.links[link], p_LP, -d_L, where)
            d_L = X_LF.R @ (d + np.cross(np.asarray(t.tilt, dtype=np.float64), d))
            d_L /= np.linalg.norm(d_L)
            valve = {
                "body": link,
                "open": (command, k),
                "d_B": d_L,
                "p_BP": p_LP,
                "thrust": t.thrust * t.strength,
                "opening": t.opening,
                "closing": t.closing,
                "flow": 1.0 / (t.specific_impulse * G0),
            }
            name = b.full(f"thruster{k}")
            place, out = (tuple(v.tolist()) for v in (p_LP, -d_L))
            b.blueprint.seen.jets.append(Jet(name, b.full("thrust"), k, link, place, out, t.thrust))
            if self.manifolds:
                supply = {"loss": (loss, self.manifolds[k]), "drop": feed.drop, "sag": feed.sag}
                rows.append(b.add(COLD_GAS.row(name, **valve, **supply, sag_lag=feed.sag_lag)))
            else:
                rows.append(b.add(THRUSTER.row(name, **valve)))
        b.signal_of("thrust", rows, "thrust", "force of each", labels=labels)
        b.signal_of("propellant", rows, "propellant", "propellant drawn by each", labels=labels)
        b.signal_of("impulse", rows, "impulse", "impulse given by each", labels=labels)
        if self.manifolds:
            b.signal_of("on_time", rows, "on_time", "commanded open time of each", labels=labels)


@dataclass
class Tank:
    """Part and upkeep: propellant at a point of a link, drawn by sets of thrusters; its mass properties follow.

    The link's declared mass properties are those without propellant; it must be `variable`.
    """

    name: str
    link: str
    thrusters: Sequence[str]  # names of the sets
    propellant: Measure  # [kg] at the start
    p_LT: Measures = (0.0, 0.0, 0.0)  # [m] of the tank's centre
    period: Measure = 1.0  # [s] between updates of the mass

    def __post_init__(self) -> None:
        where = f"tank {self.name!r}"
        take(self, where, propellant=not_negative("kg"), period=positive("s"))
        take_rows(self, where, 3, p_LT=Amount("m"))

    def build(self, b: Builder) -> None:
        """It has no body of its own."""
        b.upkeep(self)

    def tend(self, world: World, now_ns: int) -> None:
        """Set the link's mass properties to what is left."""
        drawn = sum(float(world.read(f"{t}.propellant").sum()) for t in self.thrusters)
        left = self.propellant - drawn
        if left < 0.0:
            raise SimulationError(f"tank {self.name!r} is empty at t = {now_ns / 1e9:.3f} s")
        dry = world.declared(self.link)
        mass = dry.mass + left
        p_LT = np.array(self.p_LT)
        p_cm = (dry.mass * dry.p_LLcm + left * p_LT) / mass
        I_cm = parallel_axis(dry.I_LLcm_L, dry.mass, dry.p_LLcm - p_cm)
        I_cm = I_cm + parallel_axis(np.zeros((3, 3)), left, p_LT - p_cm)
        world.set_mass(self.link, mass, p_cm, I_cm)

    def restored(self, world: World) -> None:
        """A snapshot holds the masses; at the start the tank is full."""
        world.claim(f"the mass of {self.link!r}", self.name)
        if world.now_ns == 0:
            self.tend(world, 0)


def _check_plume(link: Link, p_LP: Vector, exhaust_L: Vector, where: str) -> None:
    """Refuse an exhaust ray that runs through a solid of its own body."""
    for shape in link.shapes:
        X_GL = shape.X_LG.inverse()
        length = _inside_length(shape, X_GL.apply(p_LP), X_GL.R @ exhaust_L)
        if length > 1e-6:
            raise InputError(
                f"{where}: its plume runs {length:.3g} m through its own body {link.name!r}; "
                f"turn its force direction around, or move it (position {np.round(p_LP, 6).tolist()} m)"
            )


def _inside_length(shape: Shape, p: Vector, d: Vector) -> float:
    """Length of the ray p + s d, s > 0, inside a shape; a capsule counts without its caps, a mesh not at all."""
    if shape.kind == "box":
        low, high = _between_planes(np.array(shape.size), p, d)
    elif shape.kind == "sphere":
        low, high = _within_radius(shape.size[0], p, d)
    elif shape.kind in ("cylinder", "capsule"):
        a = _within_radius(shape.size[0], p[:2], d[:2])
        b = _between_planes(np.array(shape.size[1:2]), p[2:], d[2:])
        low, high = max(a[0], b[0]), min(a[1], b[1])
    else:
        return 0.0
    return max(0.0, high - max(0.0, low))


def _between_planes(half: Vector, p: Vector, d: Vector) -> tuple[float, float]:
    """Where the line p + s d is inside |x_k| < half_k for all k: from s to s, empty when the first is larger."""
    if np.any((d == 0.0) & (np.abs(p) >= half)):
        return np.inf, -np.inf
    moving = d != 0.0
    a, b = (-half - p)[moving] / d[moving], (half - p)[moving] / d[moving]
    return float(np.max(np.minimum(a, b), initial=-np.inf)), float(np.min(np.maximum(a, b), initial=np.inf))


def _within_radius(radius: float, p: Vector, d: Vector) -> tuple[float, float]:
    """Where the line p + s d is nearer to the origin than radius."""
    speed = float(d @ d)
    if speed == 0.0:
        return (-np.inf, np.inf) if float(p @ p) < radius**2 else (np.inf, -np.inf)
    middle = -float(p @ d) / speed
    across = (radius**2 - float(p @ p)) / speed + middle**2
    if across <= 0.0:
        return np.inf, -np.inf
    reach = float(np.sqrt(across))
    return middle - reach, middle + reach
