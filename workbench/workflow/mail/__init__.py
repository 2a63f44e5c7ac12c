"""Mail: invitations, links for forgotten passwords, reminders, sent over SMTP by a queue in the database.

To add a message: write in `messages` a function `write(db, row, site)` that gives a `Message`, or None where
it is no longer needed, and add it to `WRITERS` of `queue`.

Decisions:

- A message is written as it is sent, and a link is made then: nothing in the queue, before or after, opens
  anything. A message that is tried again has a new link, and the one before stops working.
- Who asks for a link to a forgotten password adds a row, whatever was typed: whose account it is, the sender
  finds out later. So the answer takes the same time for everybody.
"""
