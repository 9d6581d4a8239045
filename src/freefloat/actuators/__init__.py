"""Actuators of a spacecraft, as parts on another part's body."""

from freefloat.actuators.thrusters import Tank, Thruster, Thrusters
from freefloat.actuators.valves import ValveDriver, Valves
from freefloat.actuators.wheels import ReactionWheels

__all__ = ["ReactionWheels", "Tank", "Thruster", "Thrusters", "ValveDriver", "Valves"]
