"""Missions of the docking facility."""
