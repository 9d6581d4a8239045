"""Designs: modules on a grid in a file, and the check of everything that must hold before they fly."""
