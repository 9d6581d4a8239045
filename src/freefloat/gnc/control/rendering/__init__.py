"""Two robots render two colliding satellites: what the facility's computer knows, measures and orders each cycle."""
