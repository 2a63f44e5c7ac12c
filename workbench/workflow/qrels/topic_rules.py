"""What rules make of the answers to one topic, kept as long as these and the decisions are the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np

from workbench.consensus.rule_choice import RuleChoice
from workbench.consensus.settle import consensus, consensus_of_table
from workbench.consensus.vote_table import VoteTable
from workbench.records import Scale
from workbench.workflow.caching import Cache
from workbench.workflow.judging.current_judgments import read_judgments_of_topic
from workbench.workflow.pools.topic_answers import TopicAnswers
from workbench.workflow.qrels.judged_docnos import AnsweredRows, JudgedDocnos
from workbench.workflow.qrels.settled_topic import SettledTopic, topic_of_records, topics_of_table
from workbench.workflow.qrels.topic_table import Assessors, CountedAssessors, topic_table

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
