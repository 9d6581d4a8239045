"""`python -m freefloat`: the command line."""

from freefloat.cli import main

if __name__ == "__main__":
    main()
