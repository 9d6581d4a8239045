"""Models of spacecraft sensors, for the engine's one sensor wrapper (`Sensor(model=...)`)."""

from freefloat.sensors.attitude import Gyro, StarTracker, SunSensor

__all__ = ["Gyro", "StarTracker", "SunSensor"]
