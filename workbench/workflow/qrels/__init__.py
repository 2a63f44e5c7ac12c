"""Qrels: one grade from several by a named rule, and what each rule would make of a campaign."""
