"""What a rule makes of each topic, kept as long as its answers are: one save settles one topic anew.

Most rules look at a pair alone. What they give is put together from the topics; a model learns from all pairs
and is computed of all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
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
from workbench.consensus.vote_table import VoteTable
from workbench.records import Scale, id_bytes, sorted_ids
from workbench.workflow.caching import Cache
from workbench.workflow.judging.current_judgments import read_judgments_of_topic
from workbench.workflow.pools.topic_answers import TopicAnswers
from workbench.workflow.qrels.settled_topic import SettledTopic
from workbench.workflow.qrels.topic_table import Assessors, CountedAssessors, joined_tables, topic_table

MOST_CHOICES = 4
"""Choices of a rule whose results stay with a topic: each 12 MB of a million pairs, 30 MB with their file."""
NO_ANSWERS = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class JudgedTopics:
    """The current answers of a campaign by topic, and its assessors: id, name, whether a machine."""

    answers: Mapping[str, TopicAnswers]
    assessors: tuple[tuple[int, str, bool], ...]

    def settled(
        self, choice: RuleChoice, scale: Scale, decided: Mapping[Pair, int], counted: frozenset[str]
    ) -> tuple[SettledTopic, ...]:
        """What a rule that settles pair by pair gives, of the judgments of the assessors who are counted."""
        bound(RULES[choice.rule], choice.parameters())
        settling = _Settling(choice, scale, self.assessors, counted)
        parts = [settling.kept_of(*one) for one in self.with_decisions(decided)]
        # What a rule neither settles nor leaves, only others judged, or decided without a judgment.
        return tuple(one for one in parts if one.settled or one.reasons)

    def table(self, scale: Scale, decided: Mapping[Pair, int], counted: frozenset[str]) -> VoteTable:
        """The table of the counted assessors' judgments of all topics, and of the decisions."""
        who = CountedAssessors.of(self.assessors, counted)
        tables = [
            topic_table(answers, who, scale, theirs)[1] for answers, theirs in self.with_decisions(decided)
        ]
        return joined_tables(tables, scale, who.names)

    def with_decisions(self, decided: Mapping[Pair, int]) -> Iterator[tuple[TopicAnswers, Mapping[str, int]]]:
        """The answers of each topic, in the order of bytes, and the decisions by docno."""
        of_topics: dict[str, dict[str, int]] = {}
        for (topic, docno), grade in decided.items():
            of_topics.setdefault(topic, {})[docno] = grade
        for topic in sorted_ids({*self.answers, *of_topics}):
            answers = self.answers.get(topic)
            yield _without_answers(topic) if answers is None else answers, of_topics.get(topic, {})


class _Settling:
    """One rule with all that it depends on but the answers of a topic and the decisions."""

    def __init__(
        self,
        choice: RuleChoice,
        scale: Scale,
        assessors: tuple[tuple[int, str, bool], ...],
        counted: frozenset[str],
    ) -> None:
        self._choice, self._scale, self._assessors, self._counted = choice, scale, assessors, counted
        self._who = CountedAssessors.of(assessors, counted)
        whole = repr((choice, scale, assessors, sorted(counted)))
        self._key = hashlib.sha256(whole.encode("utf-8", "backslashreplace")).hexdigest()

    def kept_of(self, answers: TopicAnswers, decided: Mapping[str, int]) -> SettledTopic:
        """What the rule gives of a topic, as long as its answers and the decisions are these."""
        kept: Cache[Hashable, SettledTopic] = answers.keep("settled", _last_choices)
        return kept.get((self._key, *decided.items()), lambda: self.of(answers, decided))

    def of(self, answers: TopicAnswers, decided: Mapping[str, int]) -> SettledTopic:
        """The same made anew."""
        topic, parameters = answers.topic, self._choice.parameters()
        joined, table = topic_table(answers, self._who, self._scale, decided)
        found = consensus_of_table(table, rule=self._choice.rule, **parameters)
        if found is not None:
            return SettledTopic.of_table(topic, joined, found)
        one = settled_as_records(self._choice, self._scale, self._assessors, self._counted, answers, decided)
        return SettledTopic.of_records(topic, one.labels, one.unsettled, one.relevant_from)


def settled_as_records(
    choice: RuleChoice,
    scale: Scale,
    assessors: Assessors,
    counted: Collection[str],
    answers: TopicAnswers,
    decided: Mapping[str, int],
) -> Consensus:
    """What a rule that settles no table gives of a topic, of the judgments of those who are counted."""
    judgments = read_judgments_of_topic(assessors, answers)
    return consensus(
        [judgment for judgment in judgments if judgment.assessor in counted],
        rule=choice.rule,
        scale=scale,
        relevant_from=scale.relevant_from,
        decided={(answers.topic, docno): grade for docno, grade in decided.items()},
        **choice.parameters(),
    )


def _last_choices(_: TopicAnswers) -> Cache[Hashable, SettledTopic]:
    return Cache(MOST_CHOICES)


def _without_answers(topic: str) -> TopicAnswers:
    return TopicAnswers(topic, b"", 0, NO_ANSWERS.astype(np.int32), NO_ANSWERS, NO_ANSWERS, False)


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
    """What a rule gave, topic by topic in the order of bytes."""
    if isinstance(found, TableConsensus):
        return tuple(_of_table(found))
    labels, unsettled = _of_topics(found.labels), _of_topics(found.unsettled)
    return tuple(
        SettledTopic.of_records(topic, labels.get(topic, ()), unsettled.get(topic, ()), found.relevant_from)
        for topic in sorted_ids({*labels, *unsettled})
    )


def _of_table(found: TableConsensus) -> Iterator[SettledTopic]:
    end = 0
    for topic, pairs in groupby(found.table.pairs, key=itemgetter(0)):
        docnos = [id_bytes(docno) for _, docno in pairs]
        begin, end = end, end + len(docnos)
        one = SettledTopic.of_table(topic, b"\n".join(docnos), found, begin, end)
        if one.settled or one.reasons:
            yield one


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
