"""How fast we are, with peers beside us in the same run: `freefloat bench`.

`case` is how a benchmark is written, `race` measures things side by side, `runner` runs the cases.
"""
