"""WHAT a run is worth."""
