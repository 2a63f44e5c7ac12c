"""The rules that make one grade of several: one table feeds the form, the options and the error texts.

A rule looks at one pair at a time, or at all pairs at once: a model learns from all of them whom to rely on,
and an adjudicator's decisions are of single pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from workbench.consensus.adjudicating import adjudicated_first, two_and_adjudicator
from workbench.consensus.models.settling import by_dawid_skene, by_glad, by_mace
from workbench.consensus.outcomes import Evidence, Left, Outcome, Pair, Settled, share_of
from workbench.consensus.parameters import ASSESSOR, BINARY, FEWER, LINE, TIES, Parameter
from workbench.consensus.simple import all_relevant, any_relevant, lower_median, majority, one, upper_median
from workbench.consensus.summing import total
from workbench.errors import WorkbenchError


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: `settle` takes the grades of a pair and the parameters by keyword and gives a grade or None.

    `unsettled` says what None means. A rule that needs all pairs has `settle_all` in its place; it takes the
    evidence and gives an outcome for every pair. `soft` rules make no whole grades, and so no qrels; `slow`
    ones take seconds on a large collection; `sums` have a scale and a line of relevance of their own.
    """

    name: str
    label: str
    help: str
    source: str
    settle: Callable[..., int | None] | None = None
    unsettled: str = ""
    parameters: tuple[Parameter, ...] = ()
    settle_all: Callable[..., Mapping[Pair, Outcome]] | None = None
    soft: bool = False
    slow: bool = False
    sums: bool = False

    def outcomes(self, evidence: Evidence, **parameters: str) -> Mapping[Pair, Outcome]:
        """A grade with its confidence for every pair that is graded or decided, or why there is none.

        Raises WorkbenchError for a rule that makes no whole grades.
        """
        if self.settle_all is not None:
            return self.settle_all(evidence, **parameters)
        if self.settle is None:
            raise WorkbenchError(
                f'the rule "{self.name}" gives fractions, and qrels hold whole grades only',
                remedy="export soft labels, or take a median for qrels",
            )
        found: dict[Pair, Outcome] = {}
        for pair, grades in evidence.graded.items():
            grade = self.settle(grades, **parameters)
            found[pair] = Left(self.unsettled) if grade is None else Settled(grade, share_of(grade, grades))
        return found


def _adjudicated(evidence: Evidence, *, then: str = "majority", **parameters: str) -> Mapping[Pair, Outcome]:
    return adjudicated_first(evidence, lambda rest: RULES[then].outcomes(rest, **parameters))


_PLAIN = (
    Rule(
        "majority",
        "Majority",
        "the most frequent grade, even if fewer than half gave it",
        "the usual vote of crowds",
        majority,
        "equally many assessors gave different grades",
        (TIES,),
    ),
    Rule(
        "one",
        "One assessor",
        "the grade of one named assessor",
        "TREC's primary assessor (Voorhees 2000)",
        one,
        "the named assessor gave no grade",
        (ASSESSOR,),
    ),
    Rule(
        "any",
        "Any",
        "the highest grade: relevant if anybody says so",
        "the union of Voorhees 2000",
        any_relevant,
    ),
    Rule(
        "all",
        "All",
        "the lowest grade: relevant only if all say so",
        "the intersection of Voorhees 2000",
        all_relevant,
    ),
    Rule(
        "lower-median",
        "Lower median",
        "the middle grade, the lower of two",
        "order statistics",
        lower_median,
    ),
    Rule(
        "upper-median",
        "Upper median",
        "the middle grade, the upper of two",
        "order statistics",
        upper_median,
    ),
)
_MODELS = (
    Rule(
        "dawid-skene",
        "Dawid and Skene",
        "the most likely grade, each assessor with errors of his or her own (1979); needs many pairs",
        "Dawid and Skene 1979",
        settle_all=by_dawid_skene,
        slow=True,
    ),
    Rule(
        "mace",
        "MACE",
        "the most likely grade, where an assessor knows or guesses (Hovy et al. 2013); needs many pairs",
        "Hovy, Berg-Kirkpatrick, Vaswani and Hovy 2013",
        settle_all=by_mace,
        slow=True,
    ),
    Rule(
        "glad",
        "GLAD",
        "the most likely grade, by ability and difficulty (Whitehill et al. 2009); needs many pairs",
        "Whitehill, Ruvolo, Wu, Bergsma and Movellan 2009",
        settle_all=by_glad,
        slow=True,
    ),
)
_TWO = Rule(
    "two-and-adjudicator",
    "Two and an adjudicator",
    "the grade on which two or more agree; where they differ, the adjudicator's",
    "TREC's question answering (Voorhees 2002)",
    settle_all=two_and_adjudicator,
)
THEN = Parameter(
    "then",
    "Pairs that nobody adjudicated",
    "the rule for all other pairs",
    choices=tuple((rule.name, f"{rule.label}: {rule.help}") for rule in (*_PLAIN, *_MODELS)),
    default="majority",
)

RULES: Mapping[str, Rule] = {
    rule.name: rule
    for rule in (
        *_PLAIN,
        Rule(
            "adjudicated",
            "Adjudicated first",
            "the adjudicator's grade where there is one, and another rule for the rest",
            "TREC's practice",
            parameters=(THEN,),
            settle_all=_adjudicated,
        ),
        _TWO,
        Rule(
            "sum",
            "Sum",
            "the grades of all assessors added up, with a line of relevance set on the sum",
            "the Cystic Fibrosis collection (Shaw, Wood, Wood and Tibbo 1991)",
            parameters=(LINE, BINARY, FEWER),
            settle_all=total,
            sums=True,
        ),
        Rule(
            "mean",
            "Mean",
            "kept unrounded as a soft label with the share of every grade: an export of its own, no qrels",
            "soft labels (Uma et al. 2021)",
            soft=True,
        ),
        *_MODELS,
    )
}

PARAMETERS: Mapping[str, Parameter] = {
    parameter.name: parameter for rule in RULES.values() for parameter in rule.parameters
}
"""Everything that any rule has to be told, by name: two rules that share a name share its meaning."""


def rule_of(name: str) -> Rule:
    """The rule of a name; raises WorkbenchError where there is none."""
    if name not in RULES:
        raise WorkbenchError(f'there is no consensus rule "{name}"', remedy=f"one of {', '.join(RULES)}")
    return RULES[name]


def parameters_of(rule: Rule, given: Mapping[str, str | None]) -> tuple[Parameter, ...]:
    """What a rule has to be told, and what the rule that it hands the rest to has to be."""
    if THEN not in rule.parameters:
        return rule.parameters
    rest = given.get(THEN.name) or THEN.default or ""
    return (*rule.parameters, *(RULES[rest].parameters if rest in RULES else ()))


def bound(rule: Rule, given: Mapping[str, str]) -> dict[str, str]:
    """The parameters of a rule with their defaults.

    Raises WorkbenchError for a parameter that the rule has not, one that is missing, and a wrong value.
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
                f'the rule "{rule.name}" needs {parameter.name}', remedy=f"say {parameter.help}"
            )
    return values
