"""Shapes, the triangles they are made of, and rays that meet them: below the engine, for parts and pictures alike."""
