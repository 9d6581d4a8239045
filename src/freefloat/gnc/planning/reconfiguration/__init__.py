"""Plans that rebuild a modular spacecraft: what may be done, in which order, by which robot."""
