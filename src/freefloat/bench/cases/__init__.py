"""One module per topic; importing it registers its benchmarks."""
