"""Text to records and back; streams, not paths."""
