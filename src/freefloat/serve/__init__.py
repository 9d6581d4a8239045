"""Processes that others connect to."""
