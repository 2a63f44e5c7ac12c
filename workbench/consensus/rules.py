"""The consensus rules and their registry, and the choice of one.

Here are the simple rules, Dawid and Skene's model (every assessor has a table of errors of his or her own)
and those that follow an adjudicator; `sums` has those on scales of their own.
Forms, options, help and error texts are made from the registry.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from workbench.consensus.sums import MEAN, SUM
from workbench.consensus.votes import (
    LEAST,
    LEFT,
    Floats,
    Numbers,
    Posterior,
    Rule,
    RuleParameter,
    TableOutcome,
    Votes,
    VoteTable,
    most_likely,
    normalised,
    pair_by_pair,
)
from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.records import Scale

EQUALLY_MANY = "equally many assessors gave different grades"
NOT_GRADED = "the named assessor gave no grade"
UNDECIDED = "the assessors differ, and no adjudicator has decided"
ALONE = "only one assessor gave a grade, and two are needed"
FEWEST_ASSESSORS = 3
MOST_ROUNDS = 500
NEAR = 1e-5


def majority(table: VoteTable, *, ties: str = "none") -> TableOutcome:
    """The most frequent grade; among equally frequent ones the lower, the higher or none of them.

    A plurality is enough: of 0, 0, 1, 2 the grade is 0, although only half of the assessors gave it.
    """
    frequent = table.counts == table.counts.max(axis=1, initial=0, keepdims=True)
    places = _highest(frequent) if ties == "higher" else _lowest(frequent)
    if ties == "none":
        places = np.where(frequent.sum(axis=1) > 1, LEFT, places)
    return table.outcome(places, EQUALLY_MANY)


def one(table: VoteTable, *, assessor: str) -> TableOutcome:
    """The grade of the named assessor, none without one (TREC's primary assessor)."""
    return table.outcome(table.given_by(assessor), NOT_GRADED)


def any_relevant(table: VoteTable) -> TableOutcome:
    """The highest grade that anybody gave: relevant if one says so (the union of Voorhees 2000)."""
    return table.outcome(_highest(table.counts > 0))


def all_relevant(table: VoteTable) -> TableOutcome:
    """The lowest grade that anybody gave: relevant only if all say so (the intersection of Voorhees 2000)."""
    return table.outcome(_lowest(table.counts > 0))


def lower_median(table: VoteTable) -> TableOutcome:
    """The grade in the middle; of an even number of grades the lower of the two in the middle."""
    return _in_the_middle(table, (table.n - 1) // 2)


def upper_median(table: VoteTable) -> TableOutcome:
    """The grade in the middle; of an even number of grades the upper of the two in the middle."""
    return _in_the_middle(table, table.n // 2)


def _in_the_middle(table: VoteTable, before: Numbers) -> TableOutcome:
    """The grade before which, ascending, there are so many of the pair."""
    return table.outcome(_lowest(table.counts.cumsum(axis=1) > before[:, np.newaxis]))


def _lowest(chosen: NDArray[np.bool_]) -> Numbers:
    """The first chosen place of each row; 0 where none is."""
    return chosen.argmax(axis=1) if chosen.shape[1] else np.full(len(chosen), LEFT)


def _highest(chosen: NDArray[np.bool_]) -> Numbers:
    """The last chosen place of each row."""
    places: Numbers = chosen.shape[1] - 1 - _lowest(chosen[:, ::-1])
    return places


TIES = RuleParameter(
    "ties",
    "Ties of the majority",
    "what to do with equally frequent grades",
    choices=(
        ("none", "left to an adjudicator"),
        ("lower", "the lower grade"),
        ("higher", "the higher grade"),
    ),
    default="none",
)
ASSESSOR = RuleParameter("assessor", "Assessor", "the assessor whose grades are used")

SIMPLE = (
    Rule(
        "majority",
        "Majority",
        "the most frequent grade, even if fewer than half gave it",
        "the usual vote of crowds",
        parameters=(TIES,),
        settle_table=majority,
    ),
    Rule(
        "one",
        "One assessor",
        "the grade of one named assessor",
        "TREC's primary assessor (Voorhees 2000)",
        parameters=(ASSESSOR,),
        settle_table=one,
    ),
    Rule(
        "any",
        "Any",
        "the highest grade: relevant if anybody says so",
        "the union of Voorhees 2000",
        settle_table=any_relevant,
    ),
    Rule(
        "all",
        "All",
        "the lowest grade: relevant only if all say so",
        "the intersection of Voorhees 2000",
        settle_table=all_relevant,
    ),
    Rule(
        "lower-median",
        "Lower median",
        "the middle grade, the lower of two",
        "order statistics",
        settle_table=lower_median,
    ),
    Rule(
        "upper-median",
        "Upper median",
        "the middle grade, the upper of two",
        "order statistics",
        settle_table=upper_median,
    ),
)
"""The simple rules; a further one is a function above and an entry here."""


def dawid_skene(votes: Votes, *, near: float = NEAR) -> Posterior:
    """The posterior of every pair's grade, by expectation and maximisation from the shares of the votes.

    Ends when no probability moves by more than `near`. Source: Dawid and Skene 1979.

    Raises WorkbenchError where fewer than three assessors gave grades.
    """
    # Of two, other tables of errors explain the votes as well, and the grades are those of the majority.
    n = len(np.unique(votes.assessors))
    if n < FEWEST_ASSESSORS:
        raise WorkbenchError(
            f"Dawid and Skene's model needs three assessors or more; here {n} gave grades",
            remedy="use the majority rule, or have a third assessor judge",
        )
    # Most pairs were judged by few, so that thousands of them are alike.
    kinds, of_pair, times = votes.alike()
    posterior = kinds.shares()
    rounds, moved = 0, np.inf
    while rounds < MOST_ROUNDS and moved > near:
        renewed = expected(kinds, *learnt(kinds, posterior, times))
        moved = float(np.abs(renewed - posterior).max(initial=0.0))
        posterior = renewed
        rounds += 1
    right = np.einsum("k,akk->a", *learnt(kinds, posterior, times))
    return Posterior(posterior[of_pair], right, rounds, moved <= near)


def learnt(votes: Votes, posterior: Floats, times: Numbers | Floats) -> tuple[Floats, Floats]:
    """The share of every grade and the assessors' tables that are most likely under a posterior (the M step).

    The tables are P(said l | is k), shape (assessors, k, l). Each pair counts so many `times`.
    """
    (_, given), counted = votes.by_pair, posterior * times[:, np.newaxis]
    counts = [(given @ of_grade).reshape(votes.n_assessors, votes.n_grades) for of_grade in counted.T]
    tables = np.maximum(np.stack(counts, axis=1), LEAST)
    return counted.sum(axis=0) / times.sum(), tables / tables.sum(axis=2, keepdims=True)


def expected(votes: Votes, prior: Floats, tables: Floats) -> Floats:
    """The posterior under a prior and tables (the E step); shape (pairs, grades)."""
    logs, (by_pair, _) = np.log(tables), votes.by_pair
    of_votes = np.stack([by_pair @ logs[:, one].ravel() for one in range(votes.n_grades)])
    return normalised(of_votes + np.log(np.maximum(prior, LEAST))[:, np.newaxis])


DAWID_SKENE = Rule(
    "dawid-skene",
    "Dawid and Skene",
    "the most likely grade, each assessor with own errors (1979); needs three assessors and many pairs",
    "Dawid and Skene 1979",
    slow=True,
    settle_table=most_likely(dawid_skene),
)


def two_and_adjudicator(table: VoteTable) -> TableOutcome:
    """The grade on which all assessors of a pair agree, two at least; else what the adjudicator decided.

    An adjudicator has no say where the assessors agree, as in TREC's question answering (Voorhees 2002).
    A pair on which they differ is left until it is decided, and so is one that only one has graded.
    """
    different = np.count_nonzero(table.counts, axis=1)
    agreed = (different == 1) & (table.n > 1)
    places = table.counts.argmax(axis=1) if table.counts.size else np.zeros(len(table), np.int64)
    found = table.outcome(places)
    reasons = np.where(agreed, LEFT, np.where(different > 1, 0, 1))
    found = replace(found, reasons=reasons, words=(UNDECIDED, ALONE))
    return found.with_decisions(table, [row for row in table.decided if table.n[row] and not agreed[row]])


TWO_AND_ADJUDICATOR = Rule(
    "two-and-adjudicator",
    "Two and an adjudicator",
    "the grade on which two or more agree; where they differ, the adjudicator's",
    "TREC's question answering (Voorhees 2002)",
    adjudicated=True,
    settle_table=two_and_adjudicator,
)


def adjudicated_first(table: VoteTable, *, then: str = "majority", **parameters: str) -> TableOutcome:
    """What an adjudicator decided, and for every other pair what another rule gives.

    Decided pairs count even where nobody graded them. The other rule sees all grades, also of the decided
    pairs: a model learns from them.
    """
    return settled(RULES[then], table, parameters).with_decisions(table, tuple(table.decided))


def settled(rule: Rule, table: VoteTable, values: Mapping[str, str]) -> TableOutcome:
    """What a rule with these values of its parameters gives to every pair of a table.

    Raises WorkbenchError for a rule that makes no whole grades, and as the rule does.
    """
    if rule.settle_table is not None:
        return rule.settle_table(table, **values)
    if rule.settle is None:
        raise WorkbenchError(
            f'the rule "{rule.name}" gives fractions, and qrels need whole grades',
            remedy="export soft labels, or use a median for qrels",
        )
    return pair_by_pair(table, partial(rule.settle, **values), rule.unsettled)


_OTHERS = (TWO_AND_ADJUDICATOR, SUM, MEAN, DAWID_SKENE)

THEN = RuleParameter(
    "then",
    "Pairs that nobody adjudicated",
    "the rule for all other pairs",
    choices=tuple((rule.name, rule.label) for rule in (*SIMPLE, *_OTHERS) if rule.for_the_rest),
    default="majority",
)
"""The parameter that names another rule."""
ADJUDICATED_FIRST = Rule(
    "adjudicated",
    "Adjudicated first",
    "the adjudicator's grade where there is one, and another rule for the rest",
    "TREC's practice",
    parameters=(THEN,),
    adjudicated=True,
    settle_table=adjudicated_first,
)

RULES: dict[str, Rule] = {rule.name: rule for rule in (*SIMPLE, ADJUDICATED_FIRST, *_OTHERS)}
"""Every rule by its name, in the order in which pages and commands list them."""

PARAMETERS: Mapping[str, RuleParameter] = {
    parameter.name: parameter for rule in RULES.values() for parameter in rule.parameters
}
"""Every parameter of any rule by its name: two rules that share a name share its meaning."""


def rule_of(name: str) -> Rule:
    """The rule of a name; raises WorkbenchError where there is none."""
    if name not in RULES:
        raise WorkbenchError(
            f'there is no consensus rule "{name}"', remedy=f"choose one of {', '.join(RULES)}"
        )
    return RULES[name]


def parameters_of(rule: Rule, given: Mapping[str, str | None]) -> tuple[RuleParameter, ...]:
    """The parameters of a rule, and of the rule that it uses for the rest."""
    if THEN not in rule.parameters:
        return rule.parameters
    rest = given.get(THEN.name) or THEN.default or ""
    return (*rule.parameters, *(RULES[rest].parameters if rest in RULES else ()))


def bound(rule: Rule, given: Mapping[str, str]) -> dict[str, str]:
    """The parameters of a rule with their defaults.

    Raises WorkbenchError for a parameter that the rule does not have, a missing one, and a wrong value.
    """
    parameters = parameters_of(rule, given)
    strange = given.keys() - {parameter.name for parameter in parameters}
    if strange:
        names = ", ".join(parameter.name for parameter in parameters) or "none"
        raise WorkbenchError(f'the rule "{rule.name}" has no {min(strange)}', remedy=f"parameters: {names}")
    values = {}
    for parameter in parameters:
        value = given.get(parameter.name, parameter.default)
        if value is not None:
            values[parameter.name] = parameter.accept(value)
        elif not parameter.optional:
            raise WorkbenchError(
                f'the rule "{rule.name}" needs {parameter.name}', remedy=f"give {parameter.help}"
            )
    return values


@frozen_dataclass
class RuleChoice:
    """A rule by its name with the parameters that were given, by their names; `rule_choice` makes one.

    What a rule does not ask for is ignored. Machine judgments count only with `machines`, or where a machine
    is the named assessor.
    """

    rule: str
    machines: bool = False
    given: tuple[tuple[str, str], ...] = ()

    def value(self, name: str) -> str | None:
        """A parameter as it was given, also where the rule does not ask for it; None if it was not."""
        return dict(self.given).get(name)

    def parameters(self) -> dict[str, str]:
        """The parameters that the rule asks for and that were given; others have the rule's default."""
        if self.rule not in RULES:
            return {}
        given = dict(self.given)
        requested = parameters_of(RULES[self.rule], given)
        return {parameter.name: given[parameter.name] for parameter in requested if parameter.name in given}

    def relevant_from(self, scale: Scale) -> int:
        """The lowest relevant grade of the qrels: that of the scale, unless the rule has its own."""
        try:
            rule = rule_of(self.rule)
            return rule.relevant_from(scale.relevant_from, bound(rule, self.parameters()))
        except WorkbenchError:
            # What is wrong with the choice is reported where the rule is applied.
            return scale.relevant_from


def rule_choice(rule: str = "majority", *, machines: bool = False, **given: str | None) -> RuleChoice:
    """A rule with its parameters by keyword; None leaves one to the rule's default."""
    return RuleChoice(
        rule, machines, tuple((name, value) for name, value in given.items() if value is not None)
    )


def exact_choice(rule: str, *, machines: bool = False, **given: str | None) -> RuleChoice:
    """As `rule_choice`, for doors at which nothing given is dropped; raises as `bound`."""
    choice = rule_choice(rule, machines=machines, **given)
    bound(rule_of(rule), dict(choice.given))
    return choice


def default_rules(*, slow: bool = False) -> tuple[str, ...]:
    """The rules to begin with: all that give qrels; models, which take a while, only with `slow`."""
    return tuple(rule.name for rule in RULES.values() if not rule.soft and (slow or not rule.slow))


def choices_of(
    rules: Iterable[str], given: RuleChoice, *, assessors: Sequence[str] = ()
) -> tuple[RuleChoice, ...]:
    """The rules, each with those of the given parameters that it asks for, in the order of the registry.

    A rule of one assessor is there for each of the `assessors`. An unknown name comes last, to be refused.
    """
    requested = set(rules)
    names = [name for name in RULES if name in requested] + sorted(requested - RULES.keys())
    values = dict(given.given)
    found: list[RuleChoice] = []
    for name in names:
        of_one = name in RULES and ASSESSOR in RULES[name].parameters
        for assessor in assessors if of_one and assessors else (values.get(ASSESSOR.name),):
            own = values if assessor is None else {**values, ASSESSOR.name: assessor}
            asked_for = RuleChoice(name, given=tuple(own.items())).parameters()
            found.append(RuleChoice(name, given.machines, tuple(asked_for.items())))
    return tuple(found)


def choice_name(choice: RuleChoice) -> str:
    """The rule with its parameters, apart from the same rule with others: `majority-higher`."""
    return "-".join([choice.rule, *choice.parameters().values()])


def choice_label(choice: RuleChoice) -> str:
    """The rule with its parameters, for people: `Majority (ties: higher)`."""
    if choice.rule not in RULES:
        return choice.rule
    details = []
    for name, value in choice.parameters().items():
        if name == ASSESSOR.name:
            details.append(value)
        elif name == THEN.name and value in RULES:
            rest = RULES[value].label
            # With further capitals it is a name.
            details.append(f"then {rest[:1].lower() + rest[1:] if rest[1:].islower() else rest}")
        elif value != PARAMETERS[name].default:
            details.append(f"{name}: {value}")
    label = RULES[choice.rule].label
    return f"{label} ({', '.join(details)})" if details else label
