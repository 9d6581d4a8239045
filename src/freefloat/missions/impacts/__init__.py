"""Missions in which robots render impacts of satellites."""
