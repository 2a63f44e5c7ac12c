"""Judging: who judges which documents, in which order, and how each judgment is recorded.

The way of a judgment, from the key to the table:

1. a key at the desk (`static/desk/controls.js`, `judging.js`) puts an event into the browser's outbox
   (`static/shared/saving.js`, `outbox.js`), from which `sender.js` there sends it to `/desk/events`;
2. `web/pages/judging/desk_api.py` reads the request, and `sync.receive` takes the events one by one;
3. `submission.read_submission` makes a `Submission` of each; forms and files make the same (`read_form`);
4. `record.record_own` finds the place in the assessor's task and asks the `Handout` for room;
5. it appends a row of `storage/events.py`, which is never changed afterwards, and so do imports.

What cannot be recorded is stored as it was sent (`unrecorded`). Preferences are recorded in `preferences`.

To add a kind of event: a value of `SubmissionKind`, what `read_submission` reads of it, and what
`record._completed` makes of it. To add an order of documents: a value of `OrderRule` with its line in
`ORDER_RULES`, and its branch in `in_order`. To add a kind of pool: see `handout`.

Decisions:

- The shuffled order is SHA-256 of seed, topic and docno: the same in every version and language, and a
  document that joins later moves no other.
- A lease protects what was handed out: 24 hours in an adaptive pool, as set in a queue, where any answer
  in the topic renews it. It is looked at only when a colleague would otherwise have too little. A late
  answer to a pair that has enough judgments is stored as unrecorded.
- Where a campaign has quality checks every document of a desk goes by an opaque key, and only the server
  knows what an answer is for. Their places follow from the assignment's seed, so the total never jumps.
  Training is repeated in rounds, each drawn by that seed plus one; an answer that is no grade counts as
  wrong. Adaptive pools and queues have neither.
- Annotations are stored as they were given, even if the organiser has changed the questions since: the
  desk asks for what is required, the record does not refuse what waited in a browser.
- Near-duplicates have a resemblance of at least 0.9 of word 5-shingles (Broder 1997), found by sketches,
  decided on the texts, among an assessor's own grades only.
"""
