"""A campaign, what it is about, what came into it, and how far it is."""
