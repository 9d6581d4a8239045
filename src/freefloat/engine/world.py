"""A world as events, upkeeps, examples and tests see it: read and write by name, look at poses, change the structure.

What compiled code works on is the engine's own (`Plant`). Everything that changes motion or mass books itself with the
audit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from freefloat.amounts import Amount, Measure
from freefloat.engine import masses, restructure
from freefloat.engine.connection import Connection
from freefloat.engine.directory import CommandPlace, Directory, Place
from freefloat.engine.graph import Closed, Hold, Joint, Link, Lump, MassOf, Vector
from freefloat.engine.integrator import RK4
from freefloat.engine.plant import Plant
from freefloat.engine.ports import Reader
from freefloat.engine.tree import Tree
from freefloat.errors import InputError, unknown_name
from freefloat.frames import Pose
from freefloat.geometry.shape import Shape
from freefloat.kernels import handle as H
from freefloat.kernels.audit_layout import AUDIT, COLUMNS


class World:
    """One world of a session. Names are full ones; frames of links have the link's name."""

    def __init__(self, plant: Plant, directory: Directory, report: Callable[[str, str], None]) -> None:
        self._plant = plant
        self._directory = directory
        self._report = report
        self._readers: dict[str, Reader] = {}
        self._claims: dict[str, str] = {}

    @property
    def name(self) -> str:
        """Its name; empty where a mission has one world."""
        return self._plant.name

    @property
    def now_ns(self) -> int:
        """Whole nanoseconds since the start."""
        return self._plant.now_ns

    @property
    def time(self) -> float:
        """Seconds since the start."""
        return self._plant.time

    @property
    def steps(self) -> int:
        """Integration steps taken."""
        return self._plant.steps

    @property
    def step(self) -> float:
        """[s] of an integration step; the first one where the integrator adapts it."""
        return self._plant.step

    @property
    def order(self) -> int:
        """Of the integrator: 4 or 5."""
        return 4 if isinstance(self._plant.integrator, RK4) else 5

    @property
    def links(self) -> Mapping[str, Link]:
        """Every link, with the mass properties and shapes of now."""
        return MappingProxyType(self._plant.links)

    @property
    def joints(self) -> Mapping[str, Joint]:
        """Every declared joint."""
        return MappingProxyType(self._plant.blueprint.joints)

    @property
    def connections(self) -> Mapping[str, Connection]:
        """Every declared connection."""
        return MappingProxyType(self._plant.blueprint.connections)

    @property
    def closed(self) -> Mapping[str, Closed]:
        """The connections that are closed now, and how each is held."""
        return MappingProxyType(self._plant.closed)

    @property
    def roots(self) -> tuple[str, ...]:
        """The links that are roots of free trees now."""
        return self._plant.tree.roots

    def declared(self, link: str) -> Link:
        """A link as its part declared it."""
        if link not in self._plant.blueprint.links:
            raise unknown_name("link", link, self._plant.blueprint.links)
        return self._plant.blueprint.links[link]

    def is_free(self, link: str) -> bool:
        """Whether a link was declared with a motion of its own, and not hung on another."""
        return link in self._plant.blueprint.motions

    def read(self, name: str) -> Vector:
        """A copy of a signal's present value."""
        if name not in self._readers:
            self._check_own(self._directory.signal(name))
            self._readers[name] = Reader(self._directory, (name,))
        return self._readers[name].read()[name].copy()

    def write(self, name: str, value: ArrayLike) -> None:
        """Hold an output (`Builder.output`), or a command that no task writes, from now on."""
        self._own_command(name).write(value)

    def has(self, command: str) -> bool:
        """Whether this world has a command or output of this name."""
        return command in self._plant.command_at

    def held(self, command: str) -> Vector:
        """A copy of what a command or output is held at."""
        return self._plant.u[self._own_command(command).at].copy()

    def _own_command(self, name: str) -> CommandPlace:
        place = self._directory.command(name)
        self._check_own(place)
        return place

    def _check_own(self, place: Place) -> None:
        """Another world may stand at another instant while a run goes on; a task across brings both along."""
        if place.plant is not self._plant:
            where = f"{place.plant.name!r}, not in {self.name!r}"
            raise InputError(f"{place.signal.name!r} is in world {where}; a task can read and write in both")

    def pose(self, frame: str) -> Pose:
        """X_WF of a named frame or link now."""
        return self._plant.pose(frame)

    def motion(self, link: str) -> tuple[Pose, Vector, Vector]:
        """X_WL, w_WL_L and v_WL of any link now."""
        return self._plant.motion(link)

    def joint(self, name: str) -> tuple[float, float]:
        """A joint's position and rate."""
        return self._plant.joint(name)

    def load(self, name: str) -> Vector:
        """[force; torque] in W through a closed connection, on side b, or on a link from what it hangs on.

        The torque is about side a's frame (where a constraint holds it, as side b carries that frame), or the link's.
        """
        if name in self.links:
            return self.read(f"{name}.mount_load")
        if name not in self.connections:
            raise unknown_name("connection or link", name, [*self.connections, *self.links])
        if name not in self.closed:
            raise InputError(f"connection {name!r} is open; only a closed one carries a load")
        return self.read(f"{name}.carried_load")

    def audit(self) -> dict[str, Vector]:
        """The audit's quantities now, by the names of `kernels.audit_layout`."""
        row = self._plant.audit_row()
        return {c.name: row[getattr(AUDIT, c.name) :][: c.size] for c in COLUMNS}

    def centre(self) -> tuple[Vector, Vector]:
        """p_WCcm [m] and v_WCcm [m/s] of the whole system."""
        now = self.audit()
        return now["p_WCcm"], now["momentum"] / now["mass"]

    def gradient(self, name: str) -> Vector:
        """How the entries of a signal change with the positions, by differences: (n, nv), along MuJoCo's qvel."""
        model, x = self._plant.tree.model, self._plant.memory[H.X]
        here, found, h = x[: model.nq].copy(), list[Vector](), 1e-6
        for axis in np.eye(model.nv):
            ends: list[Vector] = []
            for s in (h, -h):
                x[: model.nq] = here
                mujoco.mj_integratePos(model, x[: model.nq], axis, s)
                self._plant.touch()
                ends.append(self.read(name).ravel())
            found.append((ends[0] - ends[1]) / (2.0 * h))
        x[: model.nq] = here
        self._plant.touch()
        return np.array(found).T

    def compiled(self) -> Tree:
        """A copy of MuJoCo's model and data at the present state, and where the names are: for oracles."""
        return self._plant.copied_tree()

    def set_motion(self, root: str, X_WL: Pose, w_WL_L: ArrayLike, v_WL: ArrayLike) -> None:
        """Set pose and velocity of a free root; the audit books it as an exchange with the outside."""
        w = Amount("rad/s").numbers(w_WL_L, (3,), f"motion of {root!r}: w_WL_L")
        v = Amount("m/s").numbers(v_WL, (3,), f"motion of {root!r}: v_WL")
        with self._plant.booked():
            self._plant.set_motion(root, X_WL, np.array(w), np.array(v))

    def set_velocity(self, root: str, w_WL_L: ArrayLike, v_WL: ArrayLike) -> None:
        """Set the velocity of a free root; the audit books it as an exchange with the outside."""
        self.set_motion(root, self.motion(root)[0], w_WL_L, v_WL)

    def set_joint(self, joint: str, q: Measure, qd: Measure) -> None:
        """Set a joint's position and rate; the audit books it as an exchange with the outside."""
        slides = self.joints[joint].kind == "prismatic" if joint in self.joints else joint.endswith((".x", ".y"))
        unit = "m" if slides else "rad"
        q = Amount(unit).number(q, f"joint {joint!r}: q")
        qd = Amount(f"{unit}/s").number(qd, f"joint {joint!r}: qd")
        with self._plant.booked():
            self._plant.set_joint(joint, q, qd)

    def shift(self, p: Vector, v: Vector) -> None:
        """Put the origin of W at p [m] moving with v [m/s]: all free roots are elsewhere, booked as an exchange."""
        plant = self._plant
        with plant.booked():
            for root in plant.tree.roots:
                X_WL, w_WL_L, v_WL = plant.motion(root)
                plant.set_motion(root, Pose(X_WL.R, X_WL.p - p), w_WL_L, v_WL - v)

    def attach(
        self, connection: str, X_AB: Pose | None = None, hold: Hold | None = None, eta: float | None = None
    ) -> float:
        """Close a connection, as it stands or drawn to X_AB by a constraint; returns the kinetic energy lost [J]."""
        return restructure.attach(self._plant, connection, X_AB, hold, eta)

    def hold(self, connection: str, hold: Hold, eta: float | None = None) -> float:
        """Hold a closed connection another way from now on; returns the kinetic energy lost [J]."""
        return restructure.hold(self._plant, connection, hold, eta)

    def detach(self, connection: str) -> None:
        """Open a connection."""
        restructure.detach(self._plant, connection)

    def reroot(self, link: str) -> None:
        """Make a link the root of its tree."""
        restructure.reroot(self._plant, link)

    def set_mass(self, link: str, mass: float, p_LLcm: Vector, I_LLcm_L: Vector) -> None:
        """Change a variable link's mass properties; its frame keeps its motion, and the audit books the exchange."""
        masses.set_mass(self._plant, link, mass, p_LLcm, I_LLcm_L)

    def move_mass(self, lumps: Sequence[Lump], after: Mapping[str, MassOf]) -> float:
        """Let lumps change sides, momentum included: links have the properties `after`; returns the energy lost [J]."""
        return restructure.move_mass(self._plant, lumps, after)

    def set_shapes(self, link: str, shapes: Sequence[Shape]) -> None:
        """Change what a link looks like."""
        self._plant.set_shapes(link, shapes)

    def set_table(self, row: str, table: Vector) -> None:
        """Give a tabled bank row its numbers, (n, columns) C-contiguous; the array itself is kept."""
        self._plant.set_table(row, table)

    def claim(self, what: str, owner: str) -> None:
        """Reserve something that only one upkeep may look after."""
        if self._claims.setdefault(what, owner) != owner:
            raise InputError(f"{owner!r} and {self._claims[what]!r} both look after {what}; one may")

    def report(self, event: str, text: str) -> None:
        """Put something into the event log, dated now."""
        self._report(event, text)
