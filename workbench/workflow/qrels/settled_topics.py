"""What a rule makes of each topic of a campaign: one save settles one topic anew.

Most rules look at a topic alone. What they give is put together from the topics; a model learns from all
pairs and is computed of all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain, groupby
from operator import attrgetter, itemgetter
from typing import TypeVar

import numpy as np

from workbench.consensus.adjudication import TWO_AND_ADJUDICATOR
from workbench.consensus.rule import Pair
from workbench.consensus.rule_choice import RuleChoice
from workbench.consensus.rules import RULES, THEN, bound
from workbench.consensus.settle import (
    Consensus,
    Label,
    TableConsensus,
    Unsettled,
    consensus,
    consensus_of_table,
)
from workbench.consensus.sums import SUM
from workbench.consensus.vote_table import VoteTable
from workbench.records import Scale, id_bytes, sorted_ids, sorted_pairs
from workbench.workflow.caching import Cache
from workbench.workflow.judging.current_judgments import read_judgments_of_topic
from workbench.workflow.pools.topic_answers import TopicAnswers
from workbench.workflow.qrels.judged_docnos import AnsweredRows, JudgedDocnos
from workbench.workflow.qrels.settled_topic import SettledTopic, topic_of_records, topics_of_table
from workbench.workflow.qrels.topic_table import Assessors, CountedAssessors, joined_tables, topic_table

NO_ANSWERS = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class JudgedTopics:
    """The current answers of a campaign by topic, and its assessors: id, name, whether a machine."""

    answers: Mapping[str, TopicAnswers]
    assessors: Assessors

    def rules(self, scale: Scale, decided: Mapping[Pair, int]) -> tuple[TopicRules, ...]:
        """Every topic that has an answer or a decision, in the order of bytes."""
        of_topics: dict[str, dict[str, int]] = {}
        for (topic, docno), grade in sorted(decided.items()):
            of_topics.setdefault(topic, {})[docno] = grade
        same = repr((scale, self.assessors)).encode("utf-8", "backslashreplace")
        key = hashlib.sha256(same).digest()
        found = []
        for topic in sorted_ids({*self.answers, *of_topics}):
            answers, theirs = self.answers.get(topic), of_topics.get(topic, {})
            if answers is None:
                answers = TopicAnswers(
                    topic, b"", 0, NO_ANSWERS.astype(np.int32), NO_ANSWERS, NO_ANSWERS, False
                )
            make = partial(TopicRules, answers, theirs, scale, self.assessors)
            found.append(answers.keep("rules", _last_rules).get((key, *theirs.items()), make))
        return tuple(found)

    def counted(self, names: frozenset[str]) -> CountedAssessors:
        """These of the assessors."""
        return CountedAssessors.of(self.assessors, names)

    def settled(
        self, choice: RuleChoice, scale: Scale, decided: Mapping[Pair, int], counted: frozenset[str]
    ) -> tuple[SettledTopic, ...]:
        """What a rule that settles each topic by itself gives, of the judgments of those who are counted."""
        bound(RULES[choice.rule], choice.parameters())
        return settled_alone(choice, self.rules(scale, decided), self.counted(counted))

    def table(self, scale: Scale, decided: Mapping[Pair, int], counted: frozenset[str]) -> VoteTable:
        """The table of the counted assessors' judgments of all topics, and of the decisions."""
        who = self.counted(counted)
        tables = [one.table(who) for one in self.rules(scale, decided)]
        return joined_tables(tables, scale, who.names)


def _last_rules(_: TopicAnswers) -> Cache[Hashable, TopicRules]:
    # Of decisions before and after a change, where pages of both are asked for.
    return Cache(2)


def settled_alone(
    choice: RuleChoice, topics: Sequence[TopicRules], counted: CountedAssessors
) -> tuple[SettledTopic, ...]:
    """What a rule that settles each topic by itself gives of every one of them."""
    # What a sum is set against depends on all of them, in this one number.
    most = max((one.most(counted) for one in topics), default=0) if choice.rule == SUM.name else 0
    return tuple(one.settled(choice, counted, most) for one in topics)


def settles_each_topic(choice: RuleChoice) -> bool:
    """Whether what a rule gives of a topic depends on no other topic."""
    return choice.rule == SUM.name or settles_pair_by_pair(choice)


def settles_pair_by_pair(choice: RuleChoice) -> bool:
    """Whether what a rule gives for a pair depends on no other pair."""
    rule = RULES.get(choice.rule)
    if rule is None:
        return False
    if rule.name == TWO_AND_ADJUDICATOR.name:
        return True
    then = choice.parameters().get(THEN.name, THEN.default) if THEN in rule.parameters else None
    if then is not None:
        rule = RULES.get(then)
    return rule is not None and rule.settle is not None and rule.settle_all is None


def by_topic(found: Consensus | TableConsensus) -> tuple[SettledTopic, ...]:
    """What a rule gave, topic by topic in the order of bytes, of topics where it settles or leaves a pair."""
    if isinstance(found, TableConsensus):
        topics = topics_of_table(found, tuple(_documents(found.table.pairs)))
        return tuple(one for one in topics if one.settled or one.reasons)
    settled = [(one.topic, one.docno) for one in found.labels]
    pairs = sorted_pairs(settled + [(one.topic, one.docno) for one in found.unsettled])
    return topics_of_records(found, tuple(_documents(pairs)))


def _documents(pairs: Iterable[Pair]) -> Iterator[JudgedDocnos]:
    for topic, several in groupby(pairs, key=itemgetter(0)):
        ids = [id_bytes(docno) for _, docno in several]
        yield JudgedDocnos(topic, b"\n".join(ids), len(ids))


def topics_of_records(found: Consensus, several: Sequence[JudgedDocnos]) -> tuple[SettledTopic, ...]:
    """What a rule gave as records, of each of these topics, which have the documents that it tells of."""
    labels, unsettled = _of_topics(found.labels), _of_topics(found.unsettled)
    return tuple(
        topic_of_records(own, labels.get(own.topic, ()), unsettled.get(own.topic, ()), found.relevant_from)
        for own in several
    )


_Line = TypeVar("_Line", Label, Unsettled)


def _of_topics(lines: Iterable[_Line]) -> dict[str, tuple[_Line, ...]]:
    return {topic: tuple(several) for topic, several in groupby(lines, key=attrgetter("topic"))}


def together(topics: Sequence[SettledTopic]) -> Consensus:
    """What was settled topic by topic, as one; there is a topic, and they come in the order of bytes."""
    parts = [one.consensus for one in topics]
    return Consensus(
        labels=tuple(chain.from_iterable(part.labels for part in parts)),
        unsettled=tuple(chain.from_iterable(part.unsettled for part in parts)),
        relevant_from=topics[0].relevant_from,
        qrels=tuple(chain.from_iterable(part.qrels for part in parts)),
    )


MOST_CHOICES = 32
"""Choices of rules whose results stay with a topic, of a million pairs 3 MB each; then all are made anew."""


class TopicRules:
    """The answers and the decisions, by docno, with what rules give of them."""

    def __init__(
        self, answers: TopicAnswers, decided: Mapping[str, int], scale: Scale, assessors: Assessors
    ) -> None:
        self._answers, self._decided, self._scale, self._assessors = answers, decided, scale, assessors
        self._settled: dict[tuple[RuleChoice, bytes, int], SettledTopic] = {}
        self._counts: Cache[tuple[str, bytes], int] = Cache(8)

    @property
    def documents(self) -> JudgedDocnos:
        """The documents that anybody answered, or that were decided."""
        return self._rows.documents

    @cached_property
    def _rows(self) -> AnsweredRows:
        return AnsweredRows.of(self._answers, self._decided)

    def judged(self, counted: CountedAssessors) -> int:
        """How many documents have an answer of those who are counted."""
        return self._counts.get(("judged", counted.key), lambda: self._judged(counted))

    def _judged(self, counted: CountedAssessors) -> int:
        there, _ = counted.find(self._answers.assessors)
        return len(np.unique(self._answers.places[there]))

    def most(self, counted: CountedAssessors) -> int:
        """How many grades of theirs a document has at most."""
        return self._counts.get(("most", counted.key), lambda: self._most(counted))

    def _most(self, counted: CountedAssessors) -> int:
        there, _ = counted.find(self._answers.assessors)
        graded = self._answers.places[there & (self._answers.codes >= 0)]
        return int(np.bincount(graded).max(initial=0))

    def table(self, counted: CountedAssessors) -> VoteTable:
        """Their votes on all documents."""
        return topic_table(self._answers, self._rows, counted, self._scale)

    def settled(self, choice: RuleChoice, counted: CountedAssessors, most: int = 0) -> SettledTopic:
        """What a rule gives that settles each topic by itself.

        `most` is how many grades a document of any topic has at most, where the rule depends on it. Raises
        WorkbenchError for a grade outside the scale.
        """
        key = choice, counted.key, most
        # Without a lock, as nine rules on 500 topics look in here: at worst the same is made twice.
        found = self._settled.get(key)
        if found is None:
            if len(self._settled) >= MOST_CHOICES:
                self._settled.clear()
            found = self._settled[key] = self._settle(choice, counted, most)
        return found

    def _settle(self, choice: RuleChoice, counted: CountedAssessors, most: int) -> SettledTopic:
        table = replace(self.table(counted), most_elsewhere=most)
        found = consensus_of_table(table, rule=choice.rule, **choice.parameters())
        if found is not None:
            (own,) = topics_of_table(found, [self.documents])
            return own
        names, topic = frozenset(counted.names), self._answers.topic
        judgments = read_judgments_of_topic(self._assessors, self._answers)
        whole = consensus(
            [judgment for judgment in judgments if judgment.assessor in names],
            rule=choice.rule,
            scale=self._scale,
            relevant_from=self._scale.relevant_from,
            decided={(topic, docno): grade for docno, grade in self._decided.items()},
            **choice.parameters(),
        )
        return topic_of_records(self.documents, whole.labels, whole.unsettled, whole.relevant_from)
