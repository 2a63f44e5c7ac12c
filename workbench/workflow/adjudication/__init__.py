"""Disputes, what adjudicators decide about them, and discussions between assessors."""
