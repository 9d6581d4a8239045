"""Missions: systems assembled from parts, each registered as a scenario with its YAML files beside it."""

from freefloat.scenario.registry import register_at

KINDS = {
    "arm-on-satellite": "arm_on_satellite.ArmOnSatellite",
    "atmos-line": "atmos.AtmosLine",
    "formation-flight": "formation_flight.FormationFlight",
    "free-floating-arm": "free_floating_arm.FreeFloatingArm",
    "geo-satellite": "geo_satellite.GeoSatellite",
    "gravity-gradient-boom": "gravity_gradient_boom.GravityGradientBoom",
    "leo-satellite": "leo_satellite.LeoSatellite",
    "pick-and-place": "pick_and_place.PickAndPlace",
    "planar-two-link": "planar_two_link.PlanarTwoLink",
    "reacsa-circle": "reacsa.ReacsaCircle",
    "reacsa-line": "reacsa.ReacsaLine",
    "reacsa-s": "reacsa.ReacsaS",
    "reacsa-semicircle": "reacsa.ReacsaSemicircle",
    "reacsa-stabilise": "reacsa_stabilise.ReacsaStabilise",
    "reacsa-to-origin": "reacsa_to_origin.ReacsaToOrigin",
    "stack-reconfiguration": "stack_reconfiguration.StackReconfiguration",
    "tumbling-satellite": "tumbling_satellite.TumblingSatellite",
}  # classes in modules of this package, imported when their kind is asked for

for _kind, _class in KINDS.items():
    register_at(_kind, f"{__name__}.{_class}")
