"""An invented campaign, small and complete, to explore before you have one of your own.

`content` has its topics, documents and guidelines, `runs` six retrieval methods, `assessors` simulated
judgments; `campaign` makes the whole in a database through the use-cases that every campaign uses.
"""
