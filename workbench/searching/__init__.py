"""A collection SEARCHED: what was typed becomes a query, an engine ranks documents, fragments show why.

`engine` has the query that a person typed, which is never refused, and the protocol that every engine keeps;
`tantivy_engine` is the embedded one, an index in a folder; `opensearch_engine` is an index in a cluster;
`analysis` makes terms of text, the same for documents and queries; `fragments` picks the sentences that
answer a query and marks the words in them.

To add an engine: a class that keeps `engine.SearchEngine`, and the tests in `tests/searching/test_engine.py`
run on it as well.

Decisions:

- Words rank, everything else restricts: a page of hits that lacks one of five words is still useful, while a
  phrase, a title word or an alternative that was typed was meant. One word in quotes must be there.
- An index holds docnos and terms, no texts: it is derived from the documents, and losing it loses nothing.
- A cluster gets terms that are made here, as one text with blanks: both engines tokenise alike.
- English words are stemmed (Porter2). Words of other languages are compared as they are, without diacritics;
  Chinese and Japanese by the character, several of them as a phrase.
"""
