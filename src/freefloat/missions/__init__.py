"""Missions: systems assembled from parts, in a room for each kind of system, with the YAML files of its scenarios."""

from freefloat.scenario.registry import register_at

KINDS = {
    "arm-on-satellite": "arm.arm_on_satellite.ArmOnSatellite",
    "atmos-line": "platform.atmos.AtmosLine",
    "bounce": "contact.bounce.Bounce",
    "delay-map": "impacts.delay_map.DelayMap",
    "dock-probe-cone": "docking.dock_probe_cone.DockProbeCone",
    "epos-approach": "facility.approach.EposApproach",
    "epos-calibration": "facility.calibration.EposCalibration",
    "epos-hybrid": "facility.hybrid.EposHybrid",
    "epos-safety": "facility.safety.EposSafety",
    "epos-sine": "facility.sine.EposSine",
    "epos-tumble": "facility.tumble.EposTumble",
    "facility": "facility.served.ServedFacility",
    "formation-flight": "satellite.formation_flight.FormationFlight",
    "free-floating-arm": "arm.free_floating_arm.FreeFloatingArm",
    "geo-satellite": "satellite.geo_satellite.GeoSatellite",
    "gravity-gradient-boom": "satellite.gravity_gradient_boom.GravityGradientBoom",
    "impact-central": "impacts.central.ImpactCentral",
    "impact-cone": "impacts.cone.ImpactCone",
    "leo-satellite": "satellite.leo_satellite.LeoSatellite",
    "pick-and-place": "modular.pick_and_place.PickAndPlace",
    "planar-two-link": "arm.planar_two_link.PlanarTwoLink",
    "reacsa-circle": "platform.reacsa.ReacsaCircle",
    "reacsa-line": "platform.reacsa.ReacsaLine",
    "reacsa-s": "platform.reacsa.ReacsaS",
    "reacsa-semicircle": "platform.reacsa.ReacsaSemicircle",
    "reacsa-stabilise": "platform.reacsa_stabilise.ReacsaStabilise",
    "reacsa-to-origin": "platform.reacsa_to_origin.ReacsaToOrigin",
    "rebuild": "modular.rebuild.Rebuild",
    "slew-by-thrusters": "satellite.slew_by_thrusters.SlewByThrusters",
    "spider-force-control": "spider.force_control.SpiderForceControl",
    "spider-impact-fault": "spider.impact_fault.SpiderImpactFault",
    "spider-joint-ripple": "spider.joint_ripple.SpiderJointRipple",
    "spider-microgravity": "spider.microgravity.SpiderMicrogravity",
    "spider-motion": "spider.motion.SpiderMotion",
    "spider-payload": "spider.payload.SpiderPayload",
    "reconfiguration": "modular.reconfiguration.Reconfiguration",
    "stack-reconfiguration": "modular.stack_reconfiguration.StackReconfiguration",
    "tumbling-satellite": "satellite.tumbling_satellite.TumblingSatellite",
}  # classes in modules of this package, imported when their kind is asked for

for _kind, _class in KINDS.items():
    register_at(_kind, f"{__name__}.{_class}")
