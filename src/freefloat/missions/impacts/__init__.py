"""Impacts of satellites that two industrial robots carry out."""
