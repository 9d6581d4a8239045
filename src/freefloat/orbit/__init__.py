"""Orbit and environment: time, frames, ephemeris, gravity, light and air."""
