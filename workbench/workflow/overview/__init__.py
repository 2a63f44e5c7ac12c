"""The overview of a campaign and the list of a person's campaigns: how far each has come."""
