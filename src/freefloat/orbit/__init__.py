"""Orbit and environment: time, frames, ephemeris, gravity, light and air.

Frame letters: I is ECI (GCRS axes, Earth's centre), F Earth-fixed (ITRF), L LVLH, W the local falling world (I's axes);
docs/notation.md has all of them.
"""
