"""The web interface.

    app          creates the Flask application
    door         what a server runs: reads each request whole, then gives it a place to be answered in
    access       who may call a view; stated by a decorator on every view
    pages/       one module per blueprint, by tab; templates/<tab> has its templates
    rendering    documents and guidelines as HTML that is safe to show

A view parses, opens `reading()` or `writing()`, calls one use-case and renders what it returns.

Decisions:

- Cross-site posts are refused by their origin (`Sec-Fetch-Site`, else `Origin`); there is no token to
  guard.
- The outbox is the browser's: answers go into IndexedDB and from there in order to `/desk/events`, one
  tab at a time; each has an id of its own, so that sending it twice records it once. Up to 50 documents
  are fetched ahead, since with five a lost network would stop people after five answers. The client's
  clock is stored and never used for ordering.
- Nobody can stop the others: the door bounds every body in size and time before its request takes a
  thread (`bodies`), and each kind of request has threads and a queue of its own (`places`): strangers,
  readers, savers, organisers' pages, their forms. On SQLite one thread commits all plain answers that wait
  together. What is refused is a prepared page (`refusals`). A
  database that is gone or locked is a 503 with `Retry-After`, and one line of the log.
- A file for download is written into the instance folder while it is read from the database, in portions, and
  sent by the server once it is complete (`downloads`, `response_files`).
- A second process at a lower priority serves what organisers, groups and viewers read (`long_requests`).
  It starts with the first such page, ends with the server, and is replaced if it is killed or takes too
  long. Saving answers and everything assessors ask for stays in the first.
- Words are highlighted in the browser by the CSS Custom Highlight API: no cost for each document on the
  server, and the text stays unchanged.
"""
