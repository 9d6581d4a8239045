"""Missions of arms on free-floating bases."""
