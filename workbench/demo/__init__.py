"""An invented campaign, small and complete, to explore before you have one of your own.

`collection` has its topics, documents and guidelines, and six retrieval methods; `campaign` simulates
judgments and makes the whole in a database through the use-cases that every campaign uses.
"""
