"""Assignments and the judging desk: what an assessor sees, says, and prefers there."""
