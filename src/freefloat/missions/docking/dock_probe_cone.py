"""A chaser docks with a target in orbit: its probe slides into a cone, latches close, the rings are joined."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from freefloat.actuators import Thruster, Thrusters
from freefloat.contact import Contact, HuntCrossley, RegularisedFriction
from freefloat.docking import Docking, DockingCone, DockingProbe, Limits, Phase
from freefloat.engine.blueprint import Motion
from freefloat.engine.mission import Mission
from freefloat.engine.result import Result
from freefloat.errors import about
from freefloat.frames import Array, Pose, so3_exp
from freefloat.missions.docking.pictures import draw_docking
from freefloat.missions.orbit_settings import OrbitSettings
from freefloat.orbit.lvlh import lvlh_axes, lvlh_rate
from freefloat.scenario.base import IntegratorSettings, Scenario
from freefloat.scenario.fields import Settings, Vector3, quantity, setting
from freefloat.scenario.registry import register
from freefloat.structure import RigidBody

Lateral = tuple[float, float]  # along, or about, y and z of D

R_DC = np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])  # the cone opens against x of D
R_BP = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])  # the probe points along x of the chaser
PLOTS = ("docking.p_CH", "docking.v_CH", "docking.tilt", "touch.force", "probe.q", "docking.phase")


class ArrivalSettings(Settings):
    """How the head comes to the cone's mouth: in D, the target's frame, x along the approach.

    Each pair across the axis may be turned about x, from y to z: a standard that bounds vectors is then a magnitude
    and a direction.
    """

    closing: float = quantity(0.1, "m/s", "speed along x", gt=0, le=1)
    offset: Lateral = quantity((0.1, 0.0), "m", "place of the head beside the axis, along y and z")
    lateral: Lateral = quantity((0.0, 0.04), "m/s", "speed of the head along y and z")
    tilt: Lateral = quantity((0.0, float(np.deg2rad(4.0))), "rad", "attitude of the chaser about y and z")
    rate: Lateral = quantity((0.0, float(np.deg2rad(0.2))), "rad/s", "angular rate of the chaser about y and z")
    roll: float = quantity(0.0, "rad", "attitude of the chaser about its own axis")
    roll_rate: float = quantity(0.0, "rad/s", "angular rate of the chaser about x")
    offset_turn: float = quantity(0.0, "rad", "angle about x by which `offset` is turned")
    lateral_turn: float = quantity(0.0, "rad", "angle about x by which `lateral` is turned")
    tilt_turn: float = quantity(0.0, "rad", "angle about x by which `tilt` is turned")
    rate_turn: float = quantity(0.0, "rad", "angle about x by which `rate` is turned")


class ProbeSettings(Settings):
    """The probe with its attenuator."""

    length: float = quantity(0.45, "m", "from the chaser's ring to the head's centre, extended", gt=0)
    head_radius: float = quantity(0.02, "m", "radius of the head", gt=0)
    head_mass: float = quantity(15.0, "kg", "mass of head and rod", gt=0)
    stroke: float = quantity(0.2, "m", "stroke of the attenuator", gt=0)
    stiffness: float = quantity(1500.0, "N/m", "spring of the attenuator", ge=0)
    damping: float = quantity(800.0, "N s/m", "damper of the attenuator", ge=0)

    def part(self) -> DockingProbe:
        """On the chaser's ring."""
        return DockingProbe(
            "probe",
            "chaser.ring",
            self.length,
            self.head_radius,
            self.head_mass,
            stroke=self.stroke,
            stiffness=self.stiffness,
            damping=self.damping,
        )


class ConeSettings(Settings):
    """The cone with its socket."""

    half_angle: float = quantity(float(np.deg2rad(35.0)), "rad", "between axis and wall", gt=0, lt=1.5)
    generator: float = quantity(0.36, "m", "from the apex along the wall to the mouth", gt=0)
    thickness: float = quantity(0.01, "m", "of the wall", gt=0)
    socket_radius: float = quantity(0.03, "m", "radius of the socket", gt=0)
    socket_depth: float = quantity(0.03, "m", "depth of the socket", gt=0)

    def part(self) -> DockingCone:
        """On the target's face."""
        sizes = (self.half_angle, self.generator, self.thickness, self.socket_radius, self.socket_depth)
        return DockingCone("cone", "target.face", *sizes)


class TouchSettings(Settings):
    """Law of the head on the cone."""

    stiffness: float = quantity(2e4, "N/m", "stiffness of the contact", gt=0)
    damping: float = quantity(20.0, "s/m", "Hunt and Crossley's damping factor", ge=0)
    friction: float = quantity(0.1, "-", "coefficient of friction", ge=0)
    slip_speed: float = quantity(0.01, "m/s", "below which friction fades, so that it is smooth", gt=0)

    def part(self, cone: DockingCone, probe: DockingProbe) -> Contact:
        """Head against cone."""
        law = HuntCrossley(self.stiffness, self.damping, 1.0)
        friction = RegularisedFriction(self.friction, self.slip_speed)
        return Contact("touch", cone.name, probe.head, law, friction, surfaces=cone.walls, balls=[probe.ball])


class LatchSettings(Settings):
    """Within which the latches close, and when the attempt is given up."""

    reach: float = quantity(0.012, "m", "distance of the head from the socket's floor", gt=0)
    speed: float = quantity(0.2, "m/s", "speed of the head in the cone", gt=0)
    tilt: float = quantity(float(np.deg2rad(15.0)), "rad", "angle between the axes", gt=0)
    timeout: float = quantity(10.0, "s", "after first touch", gt=0)


@register
class DockProbeCone(Scenario):
    """Free flight from the cone's mouth to the hard dock, both bodies in one falling frame."""

    kind: ClassVar[str] = "dock-probe-cone"
    title: ClassVar[str] = "A chaser docks with a target in orbit by probe and cone"

    duration: float = quantity(30.0, "s", "simulated time", gt=0, le=1e9)
    integrator: IntegratorSettings = setting(IntegratorSettings(step="auto"), "how the plant is integrated")
    orbit: OrbitSettings = setting(OrbitSettings(degree=0, third_bodies=False), "the target's orbit")
    chaser_mass: float = quantity(1500.0, "kg", "mass of the chaser with its probe", ge=100)
    chaser_edges: Vector3 = quantity((2.0, 1.6, 1.6), "m", "edges of the chaser, x along the approach", gt=0)
    target_mass: float = quantity(4000.0, "kg", "mass of the target with its cone", ge=100)
    target_edges: Vector3 = quantity((3.0, 2.2, 2.2), "m", "edges of the target", gt=0)
    arrival: ArrivalSettings = setting(ArrivalSettings(), "conditions at the cone's mouth")
    push: float = quantity(80.0, "N", "force of the thrusters from first touch to capture", ge=0)
    probe: ProbeSettings = setting(ProbeSettings(), "the chaser's probe")
    cone: ConeSettings = setting(ConeSettings(), "the target's cone")
    contact: TouchSettings = setting(TouchSettings(), "law of the contact")
    latches: LatchSettings = setting(LatchSettings(), "the capture latches")

    def build(self) -> Mission:
        """Target at the origin of the falling frame, turning with the orbit; the chaser behind it."""
        frame = self.orbit.frame(self.duration)
        p_I, v_I = frame.reference.position(0.0), frame.reference.velocity(0.0)
        X_WD, w_D = Pose(lvlh_axes(p_I, v_I)), lvlh_rate(p_I, v_I)
        probe, cone = self.probe.part(), self.cone.part()
        half = 0.5 * self.target_edges[0]
        limits = self.latches
        with about("probe"):  # which has to fit the cone
            docking = Docking(
                "docking",
                probe,
                cone,
                "touch",
                "push" if self.push > 0.0 else "",
                Limits(limits.reach, limits.speed, limits.tilt, limits.timeout),
            )
        face = {"face": Pose(R_DC, [-half, 0.0, 0.0])}
        ring = {"ring": Pose(R_BP, [0.5 * self.chaser_edges[0], 0.0, 0.0])}
        target = RigidBody(
            "target",
            self.target_mass - cone.mass,
            size=self.target_edges,
            frames=face,
            motion=Motion(X_WD, w_WL_L=_three(w_D)),
        )
        chaser = RigidBody(
            "chaser",
            self.chaser_mass - probe.mass,
            size=self.chaser_edges,
            frames=ring,
            motion=self._arriving(X_WD, w_D, -half - cone.mouth[1], probe.length),
            colour=(0.45, 0.55, 0.75, 1.0),
        )
        touch = self.contact.part(cone, probe)
        push = [self._thrusters()] if self.push > 0.0 else []
        return Mission(
            [frame, target, cone, chaser, probe, touch, *push, docking],
            connections=docking.connections(),
            events=docking.events(),
            integrator=self.integrator.make(),
            record_rate=self.record_rate,
            judge=_judge,
            plots=PLOTS,
            writers=[draw_docking, self.orbit.writer("target", "chaser")],
        )

    def _arriving(self, X_WD: Pose, w_D: Array, mouth: float, length: float) -> Motion:
        """Motion of the chaser whose head is in the mouth's plane, from how the head moves in the turning frame D."""
        a = self.arrival
        X_DB = Pose(so3_exp([0.0, *_turned(a.tilt, a.tilt_turn)]) @ so3_exp([a.roll, 0.0, 0.0]))
        p_BH = np.array([0.5 * self.chaser_edges[0] + length, 0.0, 0.0])
        p_DH = np.array([mouth, *_turned(a.offset, a.offset_turn)])
        v_H = np.array([a.closing, *_turned(a.lateral, a.lateral_turn)]) + np.cross(
            w_D, p_DH
        )  # in W, along the axes of D
        w = w_D + np.array([a.roll_rate, *_turned(a.rate, a.rate_turn)])
        v_B = v_H - np.cross(w, X_DB.apply(p_BH))
        X_DB = Pose(X_DB.R, p_DH - X_DB.apply(p_BH))
        return Motion(X_WD @ X_DB, w_WL_L=_three(X_DB.R.T @ w), v_WL=_three(X_WD.R @ v_B))

    def _thrusters(self) -> Thrusters:
        """Four on the chaser's rear, pushing along x."""
        x, y, z = (0.5 * edge for edge in self.chaser_edges)
        four = [Thruster((-x, sy * y, sz * z), (1.0, 0.0, 0.0), 0.25 * self.push) for sy in (-1, 1) for sz in (-1, 1)]
        return Thrusters("push", "chaser", four)


def _turned(pair: Lateral, angle: float) -> Lateral:
    """Components along y and z of a pair that is turned about x."""
    y, z = pair
    c, s = math.cos(angle), math.sin(angle)
    return c * y - s * z, s * y + c * z


def _three(v: Array) -> Vector3:
    return float(v[0]), float(v[1]), float(v[2])


def _judge(result: Result) -> dict[str, float]:
    """What became of it; an instant that was never reached is left out."""
    last = {name: float(result[f"docking.{name}"][-1, 0]) for name in ("phase", "touched", "captured")}
    found = {
        "outcome": last["phase"],
        "captured": float(last["captured"] >= 0.0),
        "docked": float(last["phase"] == Phase.DOCKED),
        "stroke_max_m": float(-result["probe.q"].min()),
    }
    if last["captured"] >= 0.0:
        found["time_to_capture_s"] = last["captured"] - last["touched"]
        for name, quantity in (("capture_energy_lost_J", "capture_loss"), ("capture_momentum_error", "momentum_error")):
            found[name] = float(result[f"docking.{quantity}"][-1, 0])
    if last["phase"] == Phase.DOCKED:
        found["dock_energy_lost_J"] = float(result["docking.dock_loss"][-1, 0])
    return found
