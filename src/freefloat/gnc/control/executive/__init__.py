"""The executive: it flies plans of operations on modular spacecraft, looks at what becomes of each, and recovers."""
