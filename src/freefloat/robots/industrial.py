"""An industrial robot as a part: six axes that follow courses, rigid or behind elastic gears, and a mock-up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from freefloat.amounts import Amount, Measure, Measures, take, take_rows
from freefloat.drives.gear import Gear
from freefloat.drives.joint_drive import JointDrive
from freefloat.drives.motor import Motor
from freefloat.drives.rows import drive_row
from freefloat.engine.blueprint import Builder, Motion
from freefloat.engine.graph import WORLD, Link, LinkGraph
from freefloat.engine.imposed import COURSE, course_labels, course_unit
from freefloat.engine.signals import Signal
from freefloat.engine.sources import MountLoad, RowOutput
from freefloat.errors import InputError, placed
from freefloat.frames import Array, Pose
from freefloat.geometry.shape import Shape
from freefloat.inertia import check_inertia
from freefloat.robots.industrial_course import COURSES, ElasticAdvice
from freefloat.robots.industrial_errors import GeometryErrors
from freefloat.robots.industrial_models import IndustrialModel, industrial_model
from freefloat.robots.mounting import start_pose
from freefloat.robots.posture import Posture
from freefloat.robots.spring_gear import spring_gear
from freefloat.six_axis_arms import AXES

Joints = Literal["rigid", "elastic"]
SETPOINT = (
    ("p_WT", "xyz", "m"),
    ("q_WT", "wxyz", "-"),
    ("v_WT", "xyz", "m/s"),
    ("w_WT_W", "xyz", "rad/s"),
    ("a_WT", "xyz", "m/s^2"),
    ("alpha_WT_W", "xyz", "rad/s^2"),
)
SUBSTEPS = 8  # of a gear in a step: with fewer the energy drifts by more than 1e-6 at 0.5 ms
READY = tuple(np.radians([0.0, -90.0, 90.0, 0.0, 45.0, 0.0]).tolist())  # upright, off every singularity


@dataclass(frozen=True)
class Mockup:
    """What hangs on the flange F behind the wrist's force sensor, with the tool frame T."""

    mass: Measure = 5.0  # [kg] assumed
    p_FFcm: Measures = (0.0, 0.0, 0.1)  # [m] assumed
    inertia: Measures = (0.05, 0.05, 0.05)  # [kg m^2] about its centre of mass, in F; diagonal or matrix; assumed
    X_FT: Pose = field(default_factory=Pose.identity)
    shapes: Sequence[Shape] = ()  # in F; those that are seen and touch

    def __post_init__(self) -> None:
        take(self, "mock-up", mass=Amount("kg", gt=0.0))
        take_rows(self, "mock-up", 3, p_FFcm=Amount("m"))
        matrix = len(np.shape(self.inertia)) == 2
        take_rows(self, "mock-up", *((3, 3) if matrix else (3,)), inertia=Amount("kg m^2"))
        if not matrix:
            object.__setattr__(self, "inertia", tuple(map(tuple, np.diag(self.inertia).tolist())))
        try:
            check_inertia(np.array(self.inertia))
        except InputError as e:
            raise placed(e, "mock-up") from None

    @property
    def link(self) -> Link:
        """Its body, whose frame is F."""
        shapes, frames = tuple(self.shapes), {"tool": self.X_FT}
        return Link("mockup", self.mass, np.array(self.p_FFcm), np.array(self.inertia), shapes, frames)


@dataclass(frozen=True)
class IndustrialRobot:
    """A robot with six axes whose base stands at X_WB, or on the frame `on` of a part before it, such as a carriage.

    Its axes, or its motors, follow courses whatever that takes.

    Commands: `name.course` (6, 7), of each axis [t0, c0 .. c5]: sum of c_k (t - t0)^k, mostly by a `Follower`;
    `name.setpoint` (19,) for whoever follows: [p_WT, q_WT, v_WT, w_WT_W, a_WT, alpha_WT_W] of the tool frame, all zero
    until there is one.

    Signals: `name.q`, `.qd`, `.qdd` of the links; `name.motor_q`, `.motor_qd`, `.motor_qdd` of the courses, output
    side; `name.wrist` [force; torque] that the flange puts on the mock-up, in axes of the flange and about its origin;
    rigid: `name.effort` and `name.error` of the imposed motion; elastic: `name.torque_gear`. Frames: `name.flange` (z
    outwards) and `name.tool`. The mock-up is the link `name.mockup`.

    Joints "rigid": links follow the courses. "elastic": motors do, behind spring and damper (Lange, Grunwald and
    Albu-Schaeffer 2016, eq. 7):  M q'' + C q' + G = K (theta - q) + D (theta' - q').
    With gears "drives" their rotors turn and react on the links that carry them; with "springs" rotors have no inertia,
    and the gears' energy is kept to the integrator's order.
    At the start links are at q and move with qd; gears are wound up by what `gravity` asks at rest, so that an elastic
    robot stands still: `motor_start()` tells where its motors are. What it stands `on` is then taken as at rest.
    An adapter, such as a plate, is the link `name.adapter` on the flange, which the wrist's sensor does not feel.
    """

    name: str
    model: str | IndustrialModel = "kr16-2"
    X_WB: Pose = field(default_factory=Pose.identity)
    q: Measures = READY  # [rad] links at the start
    tool: Mockup = field(default_factory=Mockup)
    joints: Joints = "rigid"
    qd: Measures = (0.0,) * 6  # [rad/s] at the start
    endless: Sequence[str] = ()  # axes without limits, such as ("A4", "A6")
    gravity: Measures = (0.0, 0.0, -9.81)  # [m/s^2] in W, which gears stand wound up against at the start
    stiffness: Measures | None = None  # [N m/rad] of the gears; None: the model's
    damping: Measures | None = None  # [N m s/rad]
    eta: Measure = 50.0  # [1/s] Baumgarte rate of rigid joints
    on: str = ""  # a frame that the base stands on, with its x, y and z; empty: the world, at X_WB
    adapter: Link | None = None  # between flange and mock-up; its frame is F
    gears: Literal["drives", "springs"] = "drives"  # of elastic joints
    errors: GeometryErrors | None = None  # of its geometry against the model's

    def __post_init__(self) -> None:
        where = f"robot {self.name!r}"
        take_rows(self, where, 6, q=Amount("rad"), qd=Amount("rad/s"))
        take_rows(self, where, 3, gravity=Amount("m/s^2"))
        take(self, where, eta=Amount("1/s", ge=0.0))
        if self.joints not in ("rigid", "elastic"):
            raise InputError(f"{where}: joints {self.joints!r}; allowed: rigid, elastic")
        if self.gears not in ("drives", "springs"):
            raise InputError(f"{where}: gears {self.gears!r}; allowed: drives, springs")
        for axis in self.endless:
            if axis not in AXES:
                raise InputError(f"{where}: endless {axis!r}; allowed: {', '.join(AXES)}")
        if self.on and Pose.identity() != self.X_WB:
            raise InputError(f"{where}: on {self.on!r} and X_WB {self.X_WB!r}; allowed: one of both")
        model = industrial_model(self.model) if isinstance(self.model, str) else self.model
        object.__setattr__(self, "model", model)
        for given, amount in (("stiffness", Amount("N m/rad", gt=0.0)), ("damping", Amount("N m s/rad", ge=0.0))):
            if getattr(self, given) is None:
                object.__setattr__(self, given, getattr(model, given))
            take_rows(self, where, 6, **{given: amount})

    def graph(self) -> LinkGraph:
        """The robot without its mock-up; endless axes have no limits."""
        assert isinstance(self.model, IndustrialModel)
        graph = self.model.graph()
        free = {"lower": -np.inf, "upper": np.inf}
        joints = tuple(replace(j, **free) if j.name in self.endless else j for j in graph.joints)
        told = replace(graph, joints=joints)
        return told if self.errors is None else self.errors.applied(told)

    def motor_start(self, X_WB: Pose | None = None) -> Array:
        """Output-side angles of the motors at the start [rad] (6,); X_WB is asked for where the robot stands `on`."""
        q = np.array(self.q)
        return q if self.joints == "rigid" else q + self.holding_torques(X_WB) / np.array(self.stiffness)

    def holding_torques(self, X_WB: Pose | None = None) -> Array:
        """Torques of the axes [N m] (6,) that hold the robot at rest at `q` against `gravity`; X_WB as above."""
        if self.on and X_WB is None:
            raise InputError(f"robot {self.name!r} stands on {self.on!r}: its torques need X_WB, where that is")
        graph, g = self.graph(), (X_WB or self.X_WB).R.T @ np.array(self.gravity)
        at = Posture.of(graph, dict(zip(AXES, self.q, strict=True)))
        chain = [(link.mass, at.links[link.name].apply(link.p_LLcm)) for link in graph.links if link.name != graph.root]
        X_BF = at.links["link_6"] @ next(link for link in graph.links if link.name == "link_6").frames["flange"]
        weights = [*chain, (self.tool.mass, X_BF.apply(np.array(self.tool.p_FFcm)))]
        if self.adapter is not None:
            weights.append((self.adapter.mass, X_BF.apply(self.adapter.p_LLcm)))
        torques = np.zeros(6)
        for i, j in enumerate(graph.moving):
            X = at.joints[j.name]
            axis = X.R @ j.axis
            torques[i] = -sum(m * float(axis @ np.cross(p - X.p, g)) for m, p in weights[i:])
        return torques

    def _spins(self) -> Array:
        """Speeds of the rotors about their axes in W at the start [rad/s] (6,): what carries a motor may turn too."""
        graph = self.graph()
        at = Posture.of(graph, dict(zip(AXES, self.q, strict=True)))
        axes = np.array([at.joints[j.name].R @ j.axis for j in graph.moving])
        turning = np.cumsum(axes * np.array(self.qd)[:, None], axis=0)  # of each link
        return np.einsum("ij,ij->i", axes, turning)

    def build(self, b: Builder) -> None:
        """Links, mock-up, commands, and what moves the axes."""
        graph, tool = self.graph(), self.tool.link
        names = b.graph(graph, self.q, self.on or WORLD, Motion(self.X_WB))
        motors = self.motor_start(start_pose(b.blueprint, self.on) if self.on else None)
        link, X_LF = b.blueprint.frame(b.full("flange"))
        if self.adapter is not None:
            b.body(replace(self.adapter, name="adapter"))
            b.fix("adapter_mount", "adapter", link, X_LF)
            link, X_LF = b.full("adapter"), Pose.identity()
        b.body(tool)
        b.fix("wrist_mount", tool.name, link, X_LF)
        for name, q, qd in zip(names, self.q, self.qd, strict=True):
            b.blueprint.joint_start[name] = q, qd
        b.joint_signals(names)
        self._wrist(b)
        start = [v for q, qd in zip(motors, self.qd, strict=True) for v in (0.0, q, qd, 0.0, 0.0, 0.0, 0.0)]
        meaning = "course of each axis [t0, c0 .. c5]: sum of c_k (t - t0)^k"
        labels = course_labels(AXES)
        course = b.command(
            "course", (6, COURSE), ", ".join([course_unit("rad")] * 6), meaning, start=start, labels=labels
        )
        self._setpoint(b)
        self._motors(b, course)
        if self.joints == "rigid":
            b.impose(names, course, self.eta)
        elif self.gears == "springs":
            self._springs(b, names, course)
        else:
            self._gears(b, names, course, motors)

    def _wrist(self, b: Builder) -> None:
        meaning = "force and torque on the mock-up from the flange, about its origin"
        signal = Signal(b.full("wrist"), "N, N m", (6,), "F, the flange", meaning)
        b.signal(signal, [MountLoad(b.full("mockup"), b.full("flange"), turned=True)])

    def _setpoint(self, b: Builder) -> None:
        units = ", ".join(unit for _, entries, unit in SETPOINT for _ in entries)
        labels = [f"{name} {entry}" for name, entries, _ in SETPOINT for entry in entries]
        b.command(
            "setpoint", (len(labels),), units, "motion that the tool frame is to have; all zero: none", labels=labels
        )

    def _motors(self, b: Builder, course: str) -> None:
        rows = [
            b.add(COURSES.row(b.full(f"{axis}.course"), course=(course, COURSE * i))) for i, axis in enumerate(AXES)
        ]
        for name, quantity in (("motor_q", "angle"), ("motor_qd", "rate"), ("motor_qdd", "acceleration")):
            b.signal_of(name, rows, quantity, labels=AXES)

    def _gears(self, b: Builder, names: Sequence[str], course: str, motors: Array) -> None:
        """A drive with an imposed rotor at every axis; with a ratio of 1 its angles are those of the output side."""
        assert isinstance(self.model, IndustrialModel)
        assert self.stiffness is not None
        assert self.damping is not None
        rows, spins = [], self._spins()
        for i, name in enumerate(names):
            gear = Gear(1.0, self.stiffness[i], damping=self.damping[i], kinematic_error=0.0)
            drive = JointDrive(Motor("ideal", inertia=self.model.rotor[i]), gear=gear, name=name, substeps=SUBSTEPS).at(
                "elastic"
            )
            joint = b.blueprint.joints[name]
            entry = (course, COURSE * i)
            # the effort is limited to 0: what turns the rotor is the course alone
            row = drive_row(
                f"{name}.gear",
                drive,
                name,
                joint.parent,
                joint.X_PJ.R @ joint.axis,
                float(motors[i]),
                entry,
                course=entry,
                effort=0.0,
                speed=float(spins[i]),
            )
            rows.append(b.add(row))
        self._gear_torques(b, names, [RowOutput(row.name, "torque_gear") for row in rows])

    def _springs(self, b: Builder, names: Sequence[str], course: str) -> None:
        """A spring and damper at every axis, to a course."""
        rows = [
            b.add(spring_gear(name, k, d, (course, COURSE * i)))
            for i, (name, k, d) in enumerate(zip(names, self.stiffness or (), self.damping or (), strict=True))
        ]
        self._gear_torques(b, names, [RowOutput(row.name, "torque") for row in rows])

    def _gear_torques(self, b: Builder, names: Sequence[str], sources: Sequence[RowOutput]) -> None:
        assert self.stiffness is not None
        signal = Signal(b.full("torque_gear"), "N m", (6,), meaning="torques of the gears on the links", labels=AXES)
        b.signal(signal, sources)
        b.advise(ElasticAdvice(self.name, dict(zip(names, self.stiffness, strict=True))))
