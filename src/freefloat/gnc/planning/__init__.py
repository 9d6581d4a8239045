"""Reference trajectories and planners."""
