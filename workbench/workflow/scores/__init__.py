"""What the runs of a campaign are worth on its qrels."""
