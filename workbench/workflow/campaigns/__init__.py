"""Campaigns: name, scale, guidelines, topics and documents."""
