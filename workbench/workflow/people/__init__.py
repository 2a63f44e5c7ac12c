"""People: accounts, signing in, invitations, roles in campaigns, groups that submit runs.

Decisions:

- An assessor is not an account. A judgment belongs to an assessor, a topic and a document; an assessor
  may have an account, be a person elsewhere, or be a machine. So imported judgments are like any others,
  and ending somebody's access removes no judgment.
"""
