"""The log of a run: one MCAP file, written as the run goes on and readable after any end of the process."""
