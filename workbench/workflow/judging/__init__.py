"""Assignments and the judging desk: what an assessor is shown, answers and compares there."""
