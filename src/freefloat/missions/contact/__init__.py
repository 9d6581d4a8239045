"""Missions in which bodies touch."""
