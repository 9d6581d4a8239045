"""Filters: from measurements to estimates with their uncertainty."""
