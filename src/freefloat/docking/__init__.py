"""Docking mechanisms: a probe on its attenuator, a cone with a socket, the sequence from first touch to hard dock."""

from freefloat.docking.cone import DockingCone
from freefloat.docking.probe import DockingProbe
from freefloat.docking.sequence import Docking, Limits, Phase

__all__ = ["Docking", "DockingCone", "DockingProbe", "Limits", "Phase"]
