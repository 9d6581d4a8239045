"""Heat of a modular spacecraft: thermal networks, exposed faces, the light that falls on them."""
