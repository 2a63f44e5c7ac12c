"""The next documents of an adaptive pool or a queue, handed out before their desk is shown."""

from __future__ import annotations

from workbench.web.access import here, viewer
from workbench.web.context import adaptive_states, reading, writing
from workbench.workflow.judging.adaptive_handout import hand_out, prepare_handing_out
from workbench.workflow.judging.queue_handout import hand_out_ahead, wants_more
from workbench.workflow.people.membership import require_assignment


def next_is_handed_out(assignment_id: int) -> None:
    """See to it that the viewer has the next document of an assignment, if there is one.

    Raises NotFound where the assignment is none of this campaign's, is not the viewer's or was taken back.
    """
    with reading() as db:
        require_assignment(db, here().id, assignment_id)
        from_queue = wants_more(db, assignment_id, viewer().id)
        waits = prepare_handing_out(db, adaptive_states(), assignment_id, viewer().id)
    if waits:
        with writing() as db:
            hand_out(db, adaptive_states(), assignment_id, viewer().id)
    if from_queue:
        with writing() as db:
            hand_out_ahead(db, assignment_id, viewer().id)
