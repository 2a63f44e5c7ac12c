"""Setting up a campaign: files of any kind are dropped, recognised, checked, and added when all is right."""
