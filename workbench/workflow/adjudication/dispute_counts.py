"""How many disputed pairs wait for whom, counted without the queue: from answers that are read anyway."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from workbench.consensus.disputes import DisputeRule, disputes
from workbench.records import Judgment, Scale
from workbench.storage.adjudications import current_adjudications
from workbench.storage.tables import CampaignRow
from workbench.workflow.adjudication.discussions import all_answered, answers_in_discussion
from workbench.workflow.adjudication.disputes import state_of
from workbench.workflow.adjudication.opinions import people_of
from workbench.workflow.adjudication.queue import State
from workbench.workflow.adjudication.rules import rules_from_json
from workbench.workflow.campaigns.scales import scale_from_json
from workbench.workflow.judging.current_judgments import NOT_GRADES
from workbench.workflow.pools.current_answers import answers_by_topic
from workbench.workflow.pools.topic_answers import TopicAnswers


def dispute_counts(db: Session, campaign_id: int) -> Mapping[State, int]:
    """How many pairs of the queue of disputes are in each state."""
    campaign = db.get_one(CampaignRow, campaign_id)
    scale, rules = scale_from_json(campaign.scale), rules_from_json(campaign.adjudication_rules)
    people = people_of(db, campaign_id)
    machines = frozenset(number for number, one in people.items() if one.machine and not rules.machines)
    answers = answers_by_topic(db, campaign_id)
    found = partial(_disputed, machines, rules.disputed, scale)
    key = "disputed", machines, rules.disputed, scale
    disputed = {topic: one.keep(key, found) for topic, one in answers.items()}
    decisions = {(row.topic, row.docno): row for row in current_adjudications(db, campaign_id)}
    discussed = answers_in_discussion(db, campaign_id) if decisions else {}
    # Most pairs are disputed and have no decision: these are counted, not gone through.
    undecided = sum(map(len, disputed.values()))
    counts: Counter[State] = Counter()
    for (topic, docno), row in decisions.items():
        answered = all_answered(row, people, discussed.get((topic, docno), {}))
        if docno in disputed.get(topic, ()):
            undecided -= 1
            counts[state_of(row, answered, agreed=False)] += 1
        else:
            graded = _graded(answers.get(topic), docno, machines)
            counts[state_of(row, answered, agreed=graded > 1)] += 1
    counts[state_of(None, False, agreed=False)] += undecided
    return counts


def _graded(answers: TopicAnswers | None, docno: str, machines: frozenset[int]) -> int:
    """How many grades a pair has."""
    if answers is None or docno not in answers.docnos:
        return 0
    here = answers.places == answers.docnos.index(docno)
    return int(np.count_nonzero(here & answers.of_people(machines) & (answers.codes >= 0)))


def _disputed(
    machines: frozenset[int], rule: DisputeRule, scale: Scale, answers: TopicAnswers
) -> frozenset[str]:
    """The disputed documents of a topic."""
    differing = list(_differing(answers, answers.of_people(machines)))
    return frozenset(one.docno for one in disputes(differing, rule=rule, scale=scale))


def _differing(answers: TopicAnswers, counted: NDArray[np.bool_]) -> Iterator[Judgment]:
    """The judgments of those pairs on which not all answers are the same: no others can be disputed."""
    places, codes = answers.places[counted], answers.codes[counted]
    if not len(places):
        return
    starts = np.flatnonzero(np.diff(places, prepend=-1))
    differs = np.maximum.reduceat(codes, starts) != np.minimum.reduceat(codes, starts)
    chosen = np.repeat(differs, np.diff(np.append(starts, len(places))))
    docnos = answers.docnos
    rows = (places[chosen], answers.assessors[counted][chosen], codes[chosen])
    for place, assessor, code in zip(*(row.tolist() for row in rows), strict=True):
        yield _judgment(str(assessor), answers.topic, docnos[place], code)


def _judgment(assessor: str, topic: str, docno: str, code: int) -> Judgment:
    if code >= 0:
        return Judgment(assessor, topic, docno, code)
    return Judgment(assessor, topic, docno, None, NOT_GRADES[code])
