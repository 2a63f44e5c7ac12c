"""Rules that use an adjudicator's decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from workbench.consensus.rule import (
    Evidence,
    Grades,
    Left,
    Outcome,
    Pair,
    Rule,
    RuleParameter,
    Settled,
    share_of,
)
from workbench.consensus.vote_table import LEFT, TableOutcome, VoteTable

UNDECIDED = "the assessors differ, and no adjudicator has decided"
ALONE = "only one assessor gave a grade, and two are needed"


def two_and_adjudicator(evidence: Evidence) -> dict[Pair, Outcome]:
    """The grade on which all assessors of a pair agree, two at least; else what the adjudicator decided.

    An adjudicator has no say where the assessors agree, as in TREC's question answering (Voorhees 2002).
    A pair on which they differ is left until it is decided, and so is one that only one has graded.
    """
    return {pair: _of_two(grades, evidence.decided.get(pair)) for pair, grades in evidence.graded.items()}


def two_and_adjudicator_of_table(table: VoteTable) -> TableOutcome:
    """`two_and_adjudicator` of each pair."""
    different = np.count_nonzero(table.counts, axis=1)
    agreed = (different == 1) & (table.n > 1)
    places = table.counts.argmax(axis=1) if table.counts.size else np.zeros(len(table.pairs), np.int64)
    found = table.outcome(places)
    reasons = np.where(agreed, LEFT, np.where(different > 1, 0, 1))
    found = replace(found, reasons=reasons, words=(UNDECIDED, ALONE))
    return found.with_decisions(table, [row for row in table.decided if table.n[row] and not agreed[row]])


TWO_AND_ADJUDICATOR = Rule(
    "two-and-adjudicator",
    "Two and an adjudicator",
    "the grade on which two or more agree; where they differ, the adjudicator's",
    "TREC's question answering (Voorhees 2002)",
    settle_all=two_and_adjudicator,
    adjudicated=True,
    settle_table=two_and_adjudicator_of_table,
)


def rule_for_the_rest(rules: Sequence[Rule]) -> RuleParameter:
    """The parameter that says which of the rules settles the pairs that no adjudicator decided."""
    return RuleParameter(
        "then",
        "Pairs that nobody adjudicated",
        "the rule for all other pairs",
        choices=tuple((rule.name, rule.label) for rule in rules),
        default="majority",
    )


def adjudicated_first(then: RuleParameter, rules: Sequence[Rule]) -> Rule:
    """The rule that uses what an adjudicator decided, and for every other pair one of `rules`.

    Decided pairs count even where nobody graded them. The other rule sees all grades, also of the decided
    pairs: a model learns from them.
    """
    by_name = {rule.name: rule for rule in rules}

    def settle(evidence: Evidence, *, then: str = "majority", **parameters: str) -> Mapping[Pair, Outcome]:
        found = dict(by_name[then].outcomes(replace(evidence, decided={}), **parameters))
        for pair, grade in evidence.decided.items():
            found[pair] = _decided(grade, evidence.graded.get(pair, {}))
        return found

    def settle_table(table: VoteTable, *, then: str = "majority", **parameters: str) -> TableOutcome | None:
        of_rest = by_name[then].settle_table
        found = None if of_rest is None else of_rest(table, **parameters)
        return None if found is None else found.with_decisions(table, tuple(table.decided))

    return Rule(
        "adjudicated",
        "Adjudicated first",
        "the adjudicator's grade where there is one, and another rule for the rest",
        "TREC's practice",
        parameters=(then,),
        settle_all=settle,
        adjudicated=True,
        settle_table=settle_table,
    )


def _of_two(grades: Grades, decided: int | None) -> Outcome:
    given = set(grades.values())
    if len(given) == 1 and len(grades) > 1:
        return Settled(given.pop(), 1.0)
    if decided is not None:
        return _decided(decided, grades)
    return Left(UNDECIDED if len(given) > 1 else ALONE)


def _decided(grade: int, grades: Grades) -> Settled:
    return Settled(grade, share_of(grade, grades), adjudicated=True)
