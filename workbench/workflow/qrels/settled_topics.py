"""What a rule makes of each topic, kept as long as its answers are: one save settles one topic anew.

Most rules look at a pair alone. What they give is put together from the topics; a model learns from all pairs
and is computed of all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from typing import TypeVar

from workbench.consensus.adjudication import TWO_AND_ADJUDICATOR
from workbench.consensus.rule import Pair
from workbench.consensus.rule_choice import RuleChoice
from workbench.consensus.rules import RULES, THEN
from workbench.consensus.settle import Consensus, Label, Unsettled, consensus
from workbench.consensus.summary import TopicSummary, topic_summary
from workbench.formats.qrels import write_qrels
from workbench.records import Judgment, Qrel, Scale, id_bytes, sorted_ids
from workbench.workflow.judging.current_judgments import judgments_of_topic
from workbench.workflow.pools.pooled_topics import TopicDocnos
from workbench.workflow.pools.topic_answers import TopicAnswers


class SettledTopic:
    """What a rule gave of one topic, with what is made of that: once, however often it is asked for."""

    def __init__(self, topic: str, found: Consensus) -> None:
        self.topic = topic
        self.consensus = found
        self._pooled: tuple[TopicDocnos, int] | None = None

    @cached_property
    def lines(self) -> bytes:
        """Its lines of the qrels file; raises WorkbenchError for ids that would not survive."""
        return b"".join(write_qrels(self.consensus.qrels))

    @cached_property
    def sha256(self) -> str:
        """The hash of these lines."""
        return hashlib.sha256(self.lines).hexdigest()

    @cached_property
    def summary(self) -> TopicSummary:
        """What the summary of all topics adds up."""
        return topic_summary(self.topic, self.consensus)

    def graded_of(self, pooled: TopicDocnos) -> int:
        """How many of these documents have a grade."""
        if self._pooled is None or self._pooled[0] != pooled:
            graded = {id_bytes(qrel.docno) for qrel in self.consensus.qrels}
            self._pooled = pooled, len(pooled.docnos & graded)
        return self._pooled[1]


@dataclass(frozen=True, slots=True, eq=False)
class JudgedTopics:
    """The current answers of a campaign by topic, and its assessors: id, name, whether a machine."""

    answers: Mapping[str, TopicAnswers]
    assessors: tuple[tuple[int, str, bool], ...]

    def settled(
        self, choice: RuleChoice, scale: Scale, decided: Mapping[Pair, int], counted: frozenset[str]
    ) -> tuple[SettledTopic, ...]:
        """What a rule that settles pair by pair gives, of the judgments of the assessors who are counted."""
        of_topics: dict[str, dict[Pair, int]] = {}
        for pair, grade in decided.items():
            of_topics.setdefault(pair[0], {})[pair] = grade
        parts = []
        for topic in sorted_ids({*self.answers, *of_topics}):
            theirs = of_topics.get(topic, {})
            answers = self.answers.get(topic)
            if answers is None:
                parts.append(SettledTopic(topic, _settle(choice, scale, theirs, ())))
                continue
            key: Hashable = ("settled", choice, scale, tuple(theirs.items()), counted, self.assessors)
            make = partial(self._settle_topic, choice, scale, theirs, counted)
            parts.append(answers.keep(key, make))
        return tuple(parts)

    def _settle_topic(
        self,
        choice: RuleChoice,
        scale: Scale,
        decided: Mapping[Pair, int],
        counted: frozenset[str],
        answers: TopicAnswers,
    ) -> SettledTopic:
        judgments = judgments_of_topic(answers, self.assessors)
        found = _settle(choice, scale, decided, [one for one in judgments if one.assessor in counted])
        return SettledTopic(answers.topic, found)


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


def by_topic(found: Consensus) -> tuple[SettledTopic, ...]:
    """What a rule gave, topic by topic in the order of bytes."""
    labels, unsettled, qrels = _of_topics(found.labels), _of_topics(found.unsettled), _of_topics(found.qrels)
    parts = []
    for topic in sorted_ids({*labels, *unsettled}):
        left, lines = unsettled.get(topic, ()), qrels.get(topic, ())
        own = Consensus(labels.get(topic, ()), left, found.relevant_from, lines)
        parts.append(SettledTopic(topic, own))
    return tuple(parts)


_Line = TypeVar("_Line", Label, Unsettled, Qrel)


def _of_topics(lines: Iterable[_Line]) -> dict[str, tuple[_Line, ...]]:
    found: dict[str, list[_Line]] = {}
    for line in lines:
        found.setdefault(line.topic, []).append(line)
    return {topic: tuple(several) for topic, several in found.items()}


def together(topics: Sequence[SettledTopic]) -> Consensus:
    """What was settled topic by topic, as one; there is a topic, and they come in the order of bytes."""
    parts = [one.consensus for one in topics]
    return Consensus(
        labels=tuple(chain.from_iterable(part.labels for part in parts)),
        unsettled=tuple(chain.from_iterable(part.unsettled for part in parts)),
        relevant_from=parts[0].relevant_from,
        qrels=tuple(chain.from_iterable(part.qrels for part in parts)),
    )


def _settle(
    choice: RuleChoice, scale: Scale, decided: Mapping[Pair, int], judgments: Iterable[Judgment]
) -> Consensus:
    return consensus(
        judgments,
        rule=choice.rule,
        scale=scale,
        relevant_from=scale.relevant_from,
        decided=decided,
        **choice.parameters(),
    )
