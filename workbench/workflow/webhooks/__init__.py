"""Webhooks: addresses of other programs that are told of what happens in a campaign.

To add an event: add its type to `outbox.EventType`, and call `outbox.add_event` in the transaction of what it
tells. What it tells is ids only: never a judgment, the name of a person or the text of a document.

Decisions:

- An event is stored in the transaction of what it tells, a row for each webhook that asked for it: neither is
  there without the other. A thread of the server delivers it by the rules of `delivery_queue`, at least once
  and under the same id; the order is not promised.
- Saving a judgment has nothing to do with it: whether a topic is finished is found by that thread
  (`judging.finished_topics`).
- A delivery is signed as Standard Webhooks 1.0.0 says, so that receivers verify it by a library.
- A host is resolved once for each attempt, and the connection goes to the very address that was found to be
  public: a name that leads elsewhere a moment later gains nothing. Redirects are not followed.
- An address that does not answer rests as a whole, so that it delays no other one and is tried eight times in
  a day however many events wait for it. Then it is turned off, and what waits stays.
"""
