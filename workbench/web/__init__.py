"""The web interface.

    app          creates the Flask application
    server       waitress, which reads each request whole; how large a body may be
    jobs         what takes longer than a page may, as pages show it (`workflow.jobs`)
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
- Nobody can stop the others: the server reads every request whole before it takes a thread, and bounds its
  body by its page and by whether whoever sends it is signed in (`server`). What takes longer than a page may
  is done by a worker, in processes of their own and at a lower priority (`workflow.worker`). A database that
  is gone or locked is a 503 with `Retry-After`, and one line of the log.
- A file for download is written into a temporary file while it is read from the database, and sent once it is
  whole, without a thread (`downloads`).
- Words are highlighted in the browser by the CSS Custom Highlight API: no cost for each document on the
  server, and the text stays unchanged.
"""
