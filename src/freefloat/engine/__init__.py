"""Mission, World, schedule, recorder, audit: what runs a simulation."""
