"""Missions of floating platforms on air-bearing floors."""
