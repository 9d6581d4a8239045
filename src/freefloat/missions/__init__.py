"""Missions: systems assembled from parts, each registered as a scenario with its YAML files beside it."""

from freefloat.missions import free_floating_arm, planar_two_link, tumbling_satellite

__all__ = ["free_floating_arm", "planar_two_link", "tumbling_satellite"]
