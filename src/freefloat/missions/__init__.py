"""Missions: systems assembled from parts, each registered as a scenario with its YAML files beside it."""

from freefloat.missions import (
    arm_on_satellite,
    atmos,
    formation_flight,
    free_floating_arm,
    geo_satellite,
    gravity_gradient_boom,
    leo_satellite,
    pick_and_place,
    planar_two_link,
    reacsa,
    reacsa_stabilise,
    reacsa_to_origin,
    stack_reconfiguration,
    tumbling_satellite,
)
from freefloat.robots.arm import Arm
from freefloat.scenario.registry import register_part
from freefloat.structure import RigidBody

__all__ = [
    "arm_on_satellite",
    "atmos",
    "formation_flight",
    "free_floating_arm",
    "geo_satellite",
    "gravity_gradient_boom",
    "leo_satellite",
    "pick_and_place",
    "planar_two_link",
    "reacsa",
    "reacsa_stabilise",
    "reacsa_to_origin",
    "stack_reconfiguration",
    "tumbling_satellite",
]

register_part("rigid-body", RigidBody)
register_part("arm", Arm)
