"""What a rule makes of each topic, kept as long as its answers are: one save settles one topic anew.

Most rules look at a pair alone. What they give is put together from the topics; a model learns from all pairs
and is computed of all.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

from workbench.consensus.adjudication import TWO_AND_ADJUDICATOR
from workbench.consensus.rule import Pair
from workbench.consensus.rule_choice import RuleChoice
from workbench.consensus.rules import RULES, THEN
from workbench.consensus.settle import Consensus, consensus
from workbench.records import Judgment, Scale, sorted_ids
from workbench.workflow.judging.current_judgments import judgments_of_topic
from workbench.workflow.pools.topic_answers import TopicAnswers


@dataclass(frozen=True, slots=True, eq=False)
class JudgedTopics:
    """The current answers of a campaign by topic, and its assessors: id, name, whether a machine."""

    answers: Mapping[str, TopicAnswers]
    assessors: tuple[tuple[int, str, bool], ...]

    def settled(
        self, choice: RuleChoice, scale: Scale, decided: Mapping[Pair, int], counted: frozenset[str]
    ) -> Consensus:
        """What a rule that settles pair by pair gives, of the judgments of the assessors who are counted."""
        of_topics: dict[str, dict[Pair, int]] = {}
        for pair, grade in decided.items():
            of_topics.setdefault(pair[0], {})[pair] = grade
        parts = []
        for topic in sorted_ids({*self.answers, *of_topics}):
            theirs = of_topics.get(topic, {})
            answers = self.answers.get(topic)
            if answers is None:
                parts.append(_settle(choice, scale, theirs, ()))
                continue
            key: Hashable = ("settled", choice, scale, tuple(theirs.items()), counted, self.assessors)
            make = partial(self._settle_topic, choice, scale, theirs, counted)
            parts.append(answers.keep(key, make))
        return together(parts) if parts else _settle(choice, scale, {}, ())

    def _settle_topic(
        self,
        choice: RuleChoice,
        scale: Scale,
        decided: Mapping[Pair, int],
        counted: frozenset[str],
        answers: TopicAnswers,
    ) -> Consensus:
        judgments = judgments_of_topic(answers, self.assessors)
        return _settle(choice, scale, decided, [one for one in judgments if one.assessor in counted])


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


def together(parts: Sequence[Consensus]) -> Consensus:
    """What was settled topic by topic, as one; the topics must come in the order of bytes."""
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
