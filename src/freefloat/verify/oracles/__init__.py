"""Answers known by other means than the engine: closed forms, independent formulations, published numbers."""
