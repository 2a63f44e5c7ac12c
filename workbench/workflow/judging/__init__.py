"""Judging: who judges which documents, in which order, and how each judgment is recorded.

The way of a judgment, from the key to the table:

1. a key at the desk puts an event into the browser's outbox (`static/desk`), which sends it to
   `/desk/events`;
2. `web/pages/judging/desk_api.py` reads the request, and `sync.receive` takes the events one by one;
3. `submission.read_submission` makes a `Submission` of each; forms and files make the same (`read_form`);
4. `record.record` finds its place in the assessor's task, asks the `Handout` whether it has room, and calls
5. `record.append`, the only writer of judgments: a row of `storage/events.py`, never changed afterwards.

What cannot be recorded is stored as it was sent (`unrecorded`). Preferences are recorded in `preferences`.

To add a kind of event: a value of `SubmissionKind`, what `read_submission` reads of it, and what
`record._completed` makes of it. To add an order of documents: a value of `OrderRule` with its line in
`ORDER_RULES`, and its branch in `in_order`. To add a kind of pool: see `handout`.
"""
