"""How many disputed pairs wait for whom, counted without the queue: from answers that are read anyway."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Set

import numpy as np
from sqlalchemy.orm import Session

from workbench.agreement.options import Occasion
from workbench.agreement.ratings import CANNOT_JUDGE, NO_ANSWER, UNSURE, Answers
from workbench.consensus.disputes import disputes
from workbench.consensus.rule import Pair
from workbench.records import Answer, Judgment
from workbench.storage.adjudications import current_adjudications
from workbench.storage.tables import CampaignRow
from workbench.workflow.adjudication.discussions import all_answered, answers_in_discussion
from workbench.workflow.adjudication.disputes import state_of
from workbench.workflow.adjudication.opinions import people_of
from workbench.workflow.adjudication.queue import State
from workbench.workflow.adjudication.rules import rules_from_json
from workbench.workflow.agreement.selection import answers_of_campaign
from workbench.workflow.campaigns.scales import scale_from_json


def dispute_counts(db: Session, campaign_id: int) -> Mapping[State, int]:
    """How many pairs of the queue of disputes are in each state."""
    campaign = db.get_one(CampaignRow, campaign_id)
    scale, rules = scale_from_json(campaign.scale), rules_from_json(campaign.adjudication_rules)
    answers = answers_of_campaign(db, campaign_id, Occasion.CURRENT)
    differing = list(_differing(answers, machines=rules.machines))
    disputed = {(one.topic, one.docno) for one in disputes(differing, rule=rules.disputed, scale=scale)}
    decisions = {(row.topic, row.docno): row for row in current_adjudications(db, campaign_id)}
    people = people_of(db, campaign_id) if decisions else {}
    discussed = answers_in_discussion(db, campaign_id) if decisions else {}
    graded = _graded(answers, decisions.keys() - disputed, machines=rules.machines)
    counts: Counter[State] = Counter()
    for pair in disputed | decisions.keys():
        row = decisions.get(pair)
        answered = row is not None and all_answered(row, people, discussed.get(pair, {}))
        counts[state_of(row, answered, agreed=graded.get(pair, 0) > 1)] += 1
    return counts


def _graded(answers: Answers, pairs: Set[Pair], *, machines: bool) -> dict[Pair, int]:
    """How many grades these pairs have."""
    rows = [at for at, one in enumerate(answers.assessors) if machines or not one.machine]
    places = {pair: place for place, pair in enumerate(answers.pairs) if pair in pairs} if pairs else {}
    return {pair: int(np.count_nonzero(answers.grades[rows, place] >= 0)) for pair, place in places.items()}


def _differing(answers: Answers, *, machines: bool) -> Iterator[Judgment]:
    """The judgments of those pairs on which not all answers are the same: no others can be disputed."""
    rows = [at for at, one in enumerate(answers.assessors) if machines or not one.machine]
    number = np.iinfo(answers.grades.dtype)
    lowest = np.full(len(answers.pairs), number.max, answers.grades.dtype)
    highest = np.full(len(answers.pairs), number.min, answers.grades.dtype)
    for at in rows:
        row = answers.grades[at]
        given = row != NO_ANSWER
        np.minimum(lowest, row, out=lowest, where=given)
        np.maximum(highest, row, out=highest, where=given)
    for place in np.flatnonzero(highest > lowest).tolist():
        topic, docno = answers.pairs[place]
        for at in rows:
            code = int(answers.grades[at, place])
            if code != NO_ANSWER:
                yield _judgment(answers.assessors[at].name, topic, docno, code)


def _judgment(assessor: str, topic: str, docno: str, code: int) -> Judgment:
    if code >= 0:
        return Judgment(assessor, topic, docno, code)
    return Judgment(assessor, topic, docno, None, _NO_GRADE[code])


_NO_GRADE = {UNSURE: Answer.UNSURE, CANNOT_JUDGE: Answer.CANNOT_JUDGE}
