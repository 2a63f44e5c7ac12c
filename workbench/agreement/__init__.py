"""HOW FAR assessors agree."""
