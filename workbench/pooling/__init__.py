"""WHICH documents get judged."""
