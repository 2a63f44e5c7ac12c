"""People: accounts, signing in, invitations, roles in campaigns, groups that submit runs."""
