"""Trackers of a floating platform with on/off thrusters and, mostly, a wheel."""
