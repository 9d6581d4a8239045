"""Models of spacecraft sensors, for the engine's one sensor wrapper (`Sensor(model=...)`)."""

from freefloat.sensors.accelerometer import Accelerometer
from freefloat.sensors.attitude import Gyro, StarTracker, SunSensor
from freefloat.sensors.gnss import Gnss

__all__ = ["Accelerometer", "Gnss", "Gyro", "StarTracker", "SunSensor"]
