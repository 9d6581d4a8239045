"""Links to other programs: codecs and sockets, with the standard library and NumPy alone."""
