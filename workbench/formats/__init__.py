"""Text to records and back; streams, not paths. Every refusal has a line, a finding and a remedy.

To add a document format: write `documents_<name>.py` after the model of `documents_lines.py`, with a reader
from numbered lines to documents and, at its end, its `DocumentFormat`; name that in `DOCUMENT_FORMATS`
(`documents.py`). It is then read and recognised everywhere, and stands in error texts, on the page, in
`--format` and in the help. One that is not of lines is a `BinaryDocumentFormat`, with a reader from bytes,
after the model of `documents_warc.py`. To add a topic format: the same with `topics_<name>.py`,
`TopicFormat` and `TOPIC_FORMATS` (`topics.py`).

How a problem in a run reaches people: `runs.check_run` notes it under a code of `run_rules.CODES`
("duplicate": a document twice in a topic, always an error; of other codes the campaign's rules decide). It
travels as one `Finding` inside one `RunReport`, which the page, the terminal and JSON show.

Decisions:

- A run is checked before it is stored. What makes a file unreadable as one run (columns, comments, ids, a
  document twice, scores, a changing tag, no line at all) is always an error, because programs of the
  field disagree on what such a file means. A campaign may soften three: an unknown topic (its lines are
  not used), too many documents (all are used), a document outside the collection's list (it stays in the
  run).
"""
