"""Missions of spacecraft that dock."""
