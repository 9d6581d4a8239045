"""Missions of single satellites and formations in orbit."""
