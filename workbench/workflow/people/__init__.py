"""Accounts, signing in, invitations, and who is what in a campaign."""
