"""Settings of the whole suite: seeded, without deadlines."""

from hypothesis import settings

settings.register_profile("freefloat", deadline=None, derandomize=True)
settings.load_profile("freefloat")
