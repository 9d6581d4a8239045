"""The docking facility: a rail, two robots, their frames, limits, operation and security, without sockets or clocks."""
