"""Connections to other programs: protocols and their clients, of the standard library and NumPy alone."""
