"""Searching a campaign's documents: who searched what, what was found, and how it joins the pool.

`index` keeps an index of the documents up to date, in a folder or in a search cluster as `indexes` has them;
`searches` records a search with what it found and what became of that; `found` is a search as a page shows
it, and adds what was found to a pool.

Decisions:

- An index is derived from the stored documents; it is in a folder of the host or in a cluster. Every document
  that is written counts `document_changes` of the campaign up; an index that has seen fewer compares itself
  with the documents by their hashes and takes over what differs. It can be deleted at any time.
- An engine is asked while no transaction is open: it may be elsewhere, and slow.
- A search stores its first docnos, so that its page shows the same however the index changes. Every event
  after it is a row of its own: shown to a rank, opened, judged, added.
- A document joins a pool when it is judged or added, never because it was shown.
"""
