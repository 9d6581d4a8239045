"""Settings that satellite scenarios share: the bus, its wheels, sensors and attitude control."""

from __future__ import annotations

from typing import Literal, Self

import numpy as np
from pydantic import model_validator

from freefloat.engine.blueprint import Motion
from freefloat.engine.sensing import Sensor
from freefloat.errors import about
from freefloat.frames import Array, Pose, matrix_to_quat, rpy_to_matrix
from freefloat.gnc.control.attitude import AttitudeController, AttitudeGains, Detumble
from freefloat.gnc.control.pointing import InertialPointing, LVLHPointing, Pointing, SunPointing
from freefloat.gnc.estimation.attitude_ekf import TrackerModel
from freefloat.gnc.estimation.belief import GyroModel
from freefloat.inertia import check_inertia
from freefloat.missions.attitude_settings import WheelSettings
from freefloat.orbit.plates import Finish, Plate, box_plates
from freefloat.scenario.fields import Rotation, Settings, Vector3, quantity, rotation, setting
from freefloat.sensors import Gnss, Gyro, StarTracker
from freefloat.structure import RigidBody


class SatelliteSettings(Settings):
    """A rigid box with its motion at the start."""

    mass: float = quantity(100.0, "kg", "mass", gt=0)
    inertia: Vector3 = quantity(
        (12.0, 10.0, 8.0), "kg m^2", "principal moments about the centre of mass, along B", gt=0
    )
    size: Vector3 = quantity((0.6, 0.77, 0.92), "m", "edges of the box about the origin of B", gt=0)
    centre_of_mass: Vector3 = quantity((0.02, -0.01, 0.01), "m", "p_BBcm")
    attitude: Rotation = rotation((0.4, -0.9, 2.0), "R_WB at the start, W parallel to ECI")
    rate: Vector3 = quantity((0.0524, -0.0558, 0.0419), "rad/s", "w_WB_B at the start; 5 deg/s in all")

    @model_validator(mode="after")
    def _has_an_inertia_that_can_be(self) -> Self:
        with about("inertia"):
            check_inertia(np.diag(self.inertia))
        return self

    def body(self, name: str) -> RigidBody:
        """The body as a part."""
        motion = Motion(Pose.from_rpy(self.attitude, (0.0, 0.0, 0.0)), self.rate)
        return RigidBody(name, self.mass, self.inertia, self.size, self.centre_of_mass, motion=motion)


class SurfaceSettings(Settings):
    """Air and light on the faces of the box."""

    drag: bool = setting(True, "whether air drags (NRLMSISE-00)")
    pressure: bool = setting(True, "whether sunlight pushes")
    period: float = quantity(0.1, "s", "time over which the forces are held", gt=0, le=10)
    cd: float = quantity(2.2, "-", "drag coefficient on the area that faces the flow", ge=0)
    specular: float = quantity(0.2, "-", "share of sunlight reflected as by a mirror", ge=0, le=1)
    diffuse: float = quantity(0.4, "-", "share of sunlight reflected diffusely", ge=0, le=1)
    emissivity: float = quantity(0.8, "-", "infrared emissivity", ge=0, le=1)

    def plates(self, size: Vector3) -> tuple[Plate, ...]:
        """The faces of a box."""
        return box_plates(size, Finish(self.cd, self.specular, self.diffuse, self.emissivity))


class PyramidSettings(WheelSettings):
    """Four equal wheels in a pyramid about z of B, with the same capacity along x, y and z."""

    inertia: float = quantity(0.005, "kg m^2", "rotor inertia about its axis", gt=0)
    max_torque: float = quantity(0.1, "N m", "largest motor torque", gt=0)
    max_speed: float = quantity(400.0, "rad/s", "largest speed; 2 N m s with the default inertia", gt=0)
    viscous: float = quantity(2e-6, "N m s/rad", "viscous friction of the bearing", ge=0)
    dry: float = quantity(1e-4, "N m", "dry friction of the bearing", ge=0)
    bias_speed: float = quantity(
        60.0, "rad/s", "speed at the start, and kept where no torque is wanted; signs alternate, in all no momentum"
    )

    def bias(self) -> Array:
        """Speeds at the start, kept where no torque is wanted [rad/s]."""
        return self.bias_speed * np.array([1.0, -1.0, 1.0, -1.0])


class GyroSettings(Settings):
    """Rate gyro; it is read whenever the controller runs."""

    noise: float = quantity(1e-5, "rad", "angle random walk: standard deviation after 1 s", gt=0)
    walk: float = quantity(1e-8, "rad/s", "random walk of the bias: standard deviation after 1 s", ge=0)
    bias: float = quantity(5e-5, "rad/s", "standard deviation of the bias at the start", gt=0)

    def sensor(self) -> Sensor:
        """The sensor on w_WB_B."""
        return Sensor(model=Gyro(self.noise, self.walk, self.bias))

    def model(self) -> GyroModel:
        """What the filter knows of it."""
        return GyroModel(self.noise, self.walk, self.bias)


class TrackerSettings(Settings):
    """Star tracker T, exposed once for every update of the filter; stars are always in view."""

    across: float = quantity(3e-5, "rad", "noise of a reading across the boresight", gt=0)
    about: float = quantity(2e-4, "rad", "noise of a reading about the boresight", gt=0)
    delay: float = quantity(0.1, "s", "from exposure to use", ge=0, le=10)
    max_rate: float = quantity(0.0349, "rad/s", "turn rate above which it sees nothing; 2 deg/s", gt=0)
    attitude: Rotation = rotation((-2.2, 0.0, 0.4), "R_BT, boresight along z of T")

    def sensor(self) -> Sensor:
        """The sensor on q_WB."""
        q = matrix_to_quat(rpy_to_matrix(*self.attitude))
        q_BT = float(q[0]), float(q[1]), float(q[2]), float(q[3])
        return Sensor(delay=self.delay, model=StarTracker(self.across, self.about, q_BT, self.max_rate))

    def model(self) -> TrackerModel:
        """What the filter knows of it."""
        return TrackerModel(self.across, self.about, matrix_to_quat(rpy_to_matrix(*self.attitude)), self.delay)


class GnssSettings(Settings):
    """GNSS receiver at the origin of B; it is read whenever the controller runs."""

    position_noise: float = quantity(1.0, "m", "white noise of each component", ge=0)
    position_slow: float = quantity(2.0, "m", "slow error of each component", ge=0)
    velocity_noise: float = quantity(0.02, "m/s", "white noise of each component", ge=0)
    velocity_slow: float = quantity(0.005, "m/s", "slow error of each component", ge=0)
    time_constant: float = quantity(300.0, "s", "of the slow errors", gt=0)

    def sensors(self) -> dict[str, Sensor]:
        """The sensors on p_WB and v_WB."""
        return {
            "p_WB": Sensor(model=Gnss(self.position_noise, self.position_slow, self.time_constant)),
            "v_WB": Sensor(model=Gnss(self.velocity_noise, self.velocity_slow, self.time_constant)),
        }


class ControlSettings(Settings):
    """Detumble, then quaternion feedback with integral action."""

    rate: float = quantity(4.0, "Hz", "update rate of filter and controller", gt=0, le=1e3)
    bandwidth: float = quantity(0.2, "rad/s", "natural frequency of the attitude error", gt=0)
    damping: float = quantity(0.7, "-", "damping ratio of the attitude error", gt=0)
    integral: float = quantity(0.02, "1/s", "pole of the integral action; 0: none", ge=0)
    torque_limit: float = quantity(0.1, "N m", "largest torque asked for on an axis", gt=0)
    rate_limit: float = quantity(0.01, "rad/s", "largest rate of a slew", gt=0)
    detumble_gain: float = quantity(0.05, "1/s", "rate damping before pointing", gt=0)
    handover: float = quantity(0.00873, "rad/s", "rate at which pointing starts; 0.5 deg/s", gt=0)

    def controller(self, inertia: Vector3, pointing: Pointing) -> AttitudeController:
        """The controller of a body with these principal moments."""
        gains = AttitudeGains(self.bandwidth, self.damping, self.integral)
        detumble = Detumble(self.detumble_gain, self.handover)
        return AttitudeController(np.diag(inertia), pointing, gains, self.torque_limit, self.rate_limit, detumble)


class LvlhSettings(Settings):
    """Body axes along the orbital frame: x forward, z to the Earth."""

    kind: Literal["lvlh"] = setting("lvlh", "Earth pointing")
    attitude: Rotation = rotation((0.0, 0.0, 0.0), "R_LB to hold")

    def make(self) -> Pointing:
        """The pointing mode."""
        return LVLHPointing(matrix_to_quat(rpy_to_matrix(*self.attitude)))


class SunSettings(Settings):
    """A body axis to the Sun."""

    kind: Literal["sun"] = setting("sun", "Sun pointing")
    axis: Vector3 = quantity((1.0, 0.0, 0.0), "-", "body axis to the Sun")
    second: Vector3 = quantity((0.0, 0.0, 1.0), "-", "body axis as near as possible to ECI north")

    def make(self) -> Pointing:
        """The pointing mode."""
        return SunPointing(self.axis, self.second)


class InertialSettings(Settings):
    """A fixed attitude."""

    kind: Literal["inertial"] = setting("inertial", "inertial pointing")
    attitude: Rotation = rotation((0.0, 0.0, 0.0), "R_WB to hold")

    def make(self) -> Pointing:
        """The pointing mode."""
        return InertialPointing(matrix_to_quat(rpy_to_matrix(*self.attitude)))
