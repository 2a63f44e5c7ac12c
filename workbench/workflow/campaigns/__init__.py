"""A campaign: its scale, its topics and documents, and how far it has come."""
