"""Controllers: signals in, commands out."""
