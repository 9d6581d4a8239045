"""Missions of the space manipulator SPIDER and its joints."""
