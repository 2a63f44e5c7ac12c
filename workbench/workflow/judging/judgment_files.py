"""The current judgments of a campaign as files: made topic by topic, so that millions take little memory.

None is made while a large import is under way: it would have a part of it. Each raises Conflict then.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, groupby
from operator import itemgetter

import numpy as np
from sqlalchemy.orm import Session

from workbench.formats.judgments import group_names, write_judgment_groups, write_judgments
from workbench.formats.qrels import write_subtopic_qrels
from workbench.workflow.judging.current_judgments import (
    TickedBy,
    annotated_judgments,
    judgment_line,
    judgments_of_topic,
    recorded_version,
    subtopic_judgments,
)
from workbench.workflow.log import answers_by_topic


def judgment_table(db: Session, campaign_id: int) -> Iterator[bytes]:
    """The table that the import reads, by topic and docno (bytes), then assessor.

    Raises WorkbenchError as `write_judgments` does.
    """
    # As `current_judgments`, of which none is kept.
    assessors = recorded_version(db, campaign_id).assessors
    topics = answers_by_topic(db, campaign_id).values()
    return write_judgments(chain.from_iterable(judgments_of_topic(assessors, one) for one in topics))


def annotated_lines(db: Session, campaign_id: int) -> Iterator[bytes]:
    """A line of JSON for each current answer, with everything recorded beside it."""
    for one in annotated_judgments(db, campaign_id):
        yield f"{judgment_line(one)}\n".encode("utf-8", "surrogateescape")


def subtopic_lines(
    db: Session, campaign_id: int, *, ticked_by: TickedBy = TickedBy.MAJORITY
) -> Iterator[bytes]:
    """The subtopics that were ticked, as `topic subtopic docno judgment`."""
    lines = subtopic_judgments(db, campaign_id, ticked_by=ticked_by)
    for _, of_topic in groupby(lines, key=itemgetter(0)):
        yield from write_subtopic_qrels(of_topic)


def judgment_groups(db: Session, campaign_id: int) -> tuple[dict[str, str], Iterator[bytes]]:
    """Every assessor's grades as a group of their own: what each group is called, and the lines.

    The lines are as `write_judgment_groups` has them.
    """
    assessors = recorded_version(db, campaign_id).assessors
    topics = answers_by_topic(db, campaign_id).values()
    graders: set[int] = set().union(*(np.unique(one.assessors[one.codes >= 0]).tolist() for one in topics))
    names = group_names(name for number, name, _ in assessors if number in graders)
    judged = (judgments_of_topic(assessors, one) for one in topics)
    return names, chain.from_iterable(write_judgment_groups(one, names=names) for one in judged)
