"""Compile the plant and the onboard code of every preset into the cache on disk."""

from freefloat.scenario.files import load
from freefloat.scenario.presets import presets

for name in presets():
    load(name).build().session()
