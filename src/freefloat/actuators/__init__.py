"""Actuators of a spacecraft, as parts on another part's body."""

from freefloat.actuators.pulses import PulseDriver, Pulses
from freefloat.actuators.thrusters import Tank, Thruster, Thrusters
from freefloat.actuators.valves import ValveDriver, Valves
from freefloat.actuators.wheels import ReactionWheels

__all__ = ["PulseDriver", "Pulses", "ReactionWheels", "Tank", "Thruster", "Thrusters", "ValveDriver", "Valves"]
