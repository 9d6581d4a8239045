"""Contact between bodies: laws of the normal force, friction, and the part that lets shapes touch."""

from freefloat.contact.contact import Ball, Contact
from freefloat.contact.laws import (
    HuntCrossley,
    LankaraniNikravesh,
    RegularisedFriction,
    SpringDamper,
    StickingFriction,
    hertz_stiffness,
)

__all__ = [
    "Ball",
    "Contact",
    "HuntCrossley",
    "LankaraniNikravesh",
    "RegularisedFriction",
    "SpringDamper",
    "StickingFriction",
    "hertz_stiffness",
]
