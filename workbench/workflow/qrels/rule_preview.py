"""What each consensus rule would make of a campaign: its qrels in numbers, before one is used."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from sqlalchemy.orm import Session

from workbench.consensus.rule_choice import RuleChoice, choice_label, choice_name, rule_choice
from workbench.consensus.settle import consensus, consensus_of_table
from workbench.consensus.summary import Summary, summed, table_summary
from workbench.errors import WorkbenchError
from workbench.records import Scale, sorted_ids
from workbench.workflow.caching import Cache
from workbench.workflow.last_results import LastResults, ResultAge, beginning
from workbench.workflow.qrels.qrels import material
from workbench.workflow.qrels.settled_topic import SettledTopic, topics_of_table
from workbench.workflow.qrels.settled_topics import (
    TopicRules,
    settled_alone,
    settles_each_topic,
    topics_of_records,
)
from workbench.workflow.qrels.topic_table import Assessors, CountedAssessors, joined_tables


@dataclass(frozen=True, eq=False)
class RuleLine:
    """What a rule makes: its summary, and the hash of its qrels; or why it cannot be applied.

    `name` tells the choices of a preview apart; `label` is for people. `age` is None where it is of the
    judgments as they are now.
    """

    # No slots: the hash of a million lines is made where it is asked for.
    name: str
    label: str
    choice: RuleChoice
    found: Summary | None
    hashed: Callable[[str], str] = field(repr=False)
    refused: str = ""
    age: ResultAge | None = None

    @cached_property
    def sha256(self) -> str:
        """The hash of the file of its qrels; empty where it cannot be applied."""
        return self.hashed(self.name) if self.found else ""


@dataclass(frozen=True, slots=True)
class RulePreview:
    """Every rule that was asked for; `topics` and `pairs` are those with any judgment that counts."""

    scale: Scale
    rules: tuple[RuleLine, ...]
    topics: int
    pairs: int
    decided: int


@dataclass(frozen=True, slots=True, eq=False)
class SettledRule:
    """What a rule gave: its summary, and every topic of the campaign that has an answer or a decision."""

    found: Summary
    topics: tuple[SettledTopic, ...]
    age: ResultAge | None = None


_Key = tuple[str, RuleChoice]
_SETTLED: Cache[_Key, SettledRule | str] = Cache(64)
"""What the last rules gave, or why they could not be applied, by the digest of the judgments.

Of rules that settle each topic alone: the topics are kept with their answers, and here in a list.
"""
_LEARNT: Cache[_Key, SettledRule] = Cache(4)
"""The same of the last rules that learn from all pairs, each ten bytes a pair."""
_LAST: LastResults[SettledRule] = LastResults(4)
"""What such rules gave last, whatever was judged since."""


def preview_rules(
    db: Session, campaign_id: int, choices: Sequence[RuleChoice], *, patient: bool = False
) -> RulePreview:
    """What each of the rules would settle and leave; one that cannot be applied says why.

    With `patient` a rule that takes seconds to learn from all judgments may be of earlier ones, which its
    line says: as long as ten times what it took.
    """
    rules = Rules(db, campaign_id, patient=patient)
    machines = any(choice.machines for choice in choices)
    judged = rules.judged(rule_choice(machines=machines))
    return RulePreview(
        scale=rules.material.scale,
        rules=rules.lines(choices),
        topics=sum(pairs > 0 for pairs in judged),
        pairs=sum(judged),
        decided=len(rules.material.decided),
    )


class Rules:
    """What rules give of the same material, topic by topic where they can."""

    def __init__(self, db: Session, campaign_id: int, *, patient: bool = False) -> None:
        self.material = material(db, campaign_id)
        self._digest = self.material.digest()
        self._db, self._campaign_id, self._patient = db, campaign_id, patient

    def lines(self, choices: Sequence[RuleChoice]) -> tuple[RuleLine, ...]:
        """A line for each of the rules."""
        found = {choice_name(choice): self.settled(choice) for choice in choices}
        hashes: dict[str, str] = {}

        def hashed(name: str) -> str:
            if not hashes:
                settled = {key: one.topics for key, one in found.items() if isinstance(one, SettledRule)}
                hashes.update(_file_hashes(settled))
            return hashes[name]

        return tuple(
            RuleLine(name, choice_label(choice), choice, None, hashed, refused=one)
            if isinstance(one := found[name := choice_name(choice)], str)
            else RuleLine(name, choice_label(choice), choice, one.found, hashed, age=one.age)
            for choice in choices
        )

    def settled(self, choice: RuleChoice) -> SettledRule | str:
        """What a rule gives, or why it cannot be applied."""
        known = _LEARNT.peek((self._digest, choice))
        if known is not None:
            return known
        if settles_each_topic(choice):
            return _SETTLED.get((self._digest, choice), lambda: self._tried(choice, self._by_topic))
        # Of other assessors, another scale or other decisions it is nothing that a count of answers explains.
        decided = tuple(sorted(self.material.decided.items()))
        question = choice, self._assessors, self.material.scale, decided
        last = _LAST.find(self._db, self._campaign_id, question) if self._patient else None
        if last is not None:
            return replace(last[0], age=last[1])
        begun = beginning(self._db, self._campaign_id)
        found = _SETTLED.peek((self._digest, choice)) or self._tried(choice, self._learnt)
        if isinstance(found, str):
            _SETTLED.put((self._digest, choice), found)
            return found
        _LEARNT.put((self._digest, choice), found)
        _LAST.keep(self._db, self._campaign_id, question, found, begun)
        return found

    def judged(self, choice: RuleChoice) -> list[int]:
        """How many pairs of each topic have a judgment that counts for a choice."""
        counted = self._counted(choice)
        return [one.judged(counted) for one in self._topics]

    def _tried(self, choice: RuleChoice, settle: Callable[[RuleChoice], SettledRule]) -> SettledRule | str:
        try:
            self.material.counted_assessors(choice)
            self._check(choice)
            return settle(choice)
        except WorkbenchError as error:
            return str(error)

    def _check(self, choice: RuleChoice) -> None:
        """Raise WorkbenchError for a rule that cannot be applied, whatever was judged."""
        consensus((), rule=choice.rule, scale=None, relevant_from=None, decided=None, **choice.parameters())

    def _by_topic(self, choice: RuleChoice) -> SettledRule:
        parts = settled_alone(choice, self._topics, self._counted(choice))
        return SettledRule(_summed(parts, choice.relevant_from(self.material.scale)), parts)

    def _learnt(self, choice: RuleChoice) -> SettledRule:
        counted, scale = self._counted(choice), self.material.scale
        documents = [one.documents for one in self._topics]
        tables = [one.table(counted) for one in self._topics]
        table = joined_tables(tables, scale, counted.names, every=True)
        found = consensus_of_table(table, rule=choice.rule, **choice.parameters())
        if found is None:
            parts = topics_of_records(self.material.settled(choice), documents)
            return SettledRule(_summed(parts, choice.relevant_from(scale)), parts)
        parts = tuple(topics_of_table(found, documents))
        return SettledRule(table_summary(found, topics=_judged(parts)), parts)

    def _counted(self, choice: RuleChoice) -> CountedAssessors:
        return CountedAssessors.of(self._assessors, self.material.counted_assessors(choice))

    @property
    def _assessors(self) -> Assessors:
        return self.material.topics.assessors if self.material.topics else ()

    @cached_property
    def _topics(self) -> tuple[TopicRules, ...]:
        """Every topic that has an answer or a decision, in the order of bytes."""
        known = self.material.topics
        return known.rules(self.material.scale, self.material.decided) if known else ()


def _summed(parts: Sequence[SettledTopic], relevant_from: int) -> Summary:
    return summed([one.summary for one in parts], relevant_from=relevant_from, topics=_judged(parts))


def _judged(parts: Sequence[SettledTopic]) -> list[str]:
    return [one.topic for one in parts if one.judged]


def _file_hashes(rules: Mapping[str, Sequence[SettledTopic]]) -> dict[str, str]:
    """The hash of the file of qrels of each rule, by name.

    Raises WorkbenchError for ids that would not survive in a file.
    """
    hashes = {name: hashlib.sha256() for name in rules}
    of_topics: dict[str, list[tuple[str, SettledTopic]]] = {}
    for name, topics in rules.items():
        for one in topics:
            of_topics.setdefault(one.topic, []).append((name, one))
    for topic in sorted_ids(of_topics):
        starts: dict[bytes, tuple[bytes, ...]] = {}
        for name, one in of_topics[topic]:
            # The same documents for all rules but those of earlier answers.
            joined = one.documents.joined
            if joined not in starts:
                starts[joined] = one.documents.line_starts()
            hashes[name].update(one.lines_after(starts[joined]))
    return {name: sha.hexdigest() for name, sha in hashes.items()}
