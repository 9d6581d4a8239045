"""Power of a modular spacecraft: DC networks, their solution and their batteries."""
