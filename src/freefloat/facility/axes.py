"""The thirteen axes of the facility in the order of every array of axes: rail E1 [m], robots 1 and 2 A1 to A6 [rad]."""

from __future__ import annotations

from freefloat.six_axis_arms import AXES

RAIL = 0
ROBOT1 = slice(1, 7)
ROBOT2 = slice(7, 13)
ROBOTS = (ROBOT1, ROBOT2)
COUNT = 13
NAMES = ("E1", *(f"rob1 {axis}" for axis in AXES), *(f"rob2 {axis}" for axis in AXES))
UNITS = ("m", *("rad",) * 12)
CYCLE = 0.004  # [s] of commands: Benninghoff and others 2017, sec. 2.2.2
DEVICES = {"rail": slice(0, 1), "rob1": ROBOT1, "rob2": ROBOT2}  # what moves to the start one after the other
