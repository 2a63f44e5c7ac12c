"""How far the collection of a campaign may be trusted, while it is judged and after."""
