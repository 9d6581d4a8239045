"""Contact between bodies: laws of the normal force, friction, and the part that lets shapes touch."""

from freefloat.contact.contact import Contact
from freefloat.contact.laws import (
    HuntCrossley,
    Impulse,
    LankaraniNikravesh,
    RegularisedFriction,
    SpringDamper,
    StickingFriction,
    hertz_stiffness,
)
from freefloat.contact.surfaces import Ball, Ground, Plane, Prism, Wall, cone, corners, ring

__all__ = [
    "Ball",
    "Contact",
    "Ground",
    "HuntCrossley",
    "Impulse",
    "LankaraniNikravesh",
    "Plane",
    "Prism",
    "RegularisedFriction",
    "SpringDamper",
    "StickingFriction",
    "Wall",
    "cone",
    "corners",
    "hertz_stiffness",
    "ring",
]
