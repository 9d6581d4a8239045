"""Links to other programs: formats of what goes over sockets, and clients. Standard library and NumPy only."""
