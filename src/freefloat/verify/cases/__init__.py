"""The comparisons, one module per topic; importing it registers its cases."""
