"""How far a campaign has come, who is needed next, and what each person finds on their page of campaigns."""
