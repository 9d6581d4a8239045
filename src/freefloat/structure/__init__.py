"""Parts that are structures: rigid spacecraft."""

from freefloat.structure.body import RigidBody

__all__ = ["RigidBody"]
