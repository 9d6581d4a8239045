"""Review of a finished run from what was recorded: clearances, limits, loads, each with its instant."""
