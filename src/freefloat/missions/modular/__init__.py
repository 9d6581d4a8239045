"""Missions of modular spacecraft that robots rebuild."""
