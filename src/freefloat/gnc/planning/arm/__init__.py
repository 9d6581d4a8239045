"""Paths and planners of arms: joint paths, inverse kinematics, clearance, moves from face to face."""
