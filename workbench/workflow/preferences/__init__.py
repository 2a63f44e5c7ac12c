"""Two documents, or two runs, side by side."""
