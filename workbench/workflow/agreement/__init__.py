"""How far the assessors of a campaign agree, and what to do to know it better."""
