"""Scenarios: typed settings from YAML files, names and overrides, that build missions."""
