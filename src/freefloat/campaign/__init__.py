"""Campaigns: many runs of one scenario with varied fields, and what they answer."""
