"""What several rooms say together of rules: how right they are, how the assessors agree, how runs rank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from workbench.agreement.coefficients.alpha import alpha
from workbench.agreement.coefficients import coefficient_value
from workbench.agreement.ratings import judged_ratings, ratings_of
from workbench.cli.runs import read_runs
from workbench.consensus.accuracy import accuracy
from workbench.consensus.outcomes import Pair
from workbench.consensus.settle import Consensus
from workbench.errors import WorkbenchError
from workbench.records import Judgment
from workbench.scoring.measures import at_line, parse_measures
from workbench.scoring.scorer import Scorer, in_order

NOT_JUDGED = -1


@dataclass(frozen=True, slots=True)
class Rightness:
    """A rule against expert labels: of `known` pairs it settled `n`.

    `accuracy` is the share on the right side of the line of relevance, `same_grade` that with the very grade,
    `kappa` the pooled kappa with the experts, relevant or not; each None where it is undefined.
    """

    known: int
    n: int
    accuracy: float | None
    same_grade: float | None
    kappa: float | None


def with_experts(found: Consensus, experts: Mapping[Pair, int], relevant_from: int) -> Rightness:
    """How right a rule is by experts' grades of some of its pairs."""
    same_scale = found.relevant_from == relevant_from
    right = accuracy(found, experts, relevant_from=relevant_from, same_scale=same_scale)
    sides = {
        "rule": {(q.topic, q.docno): int(q.grade >= found.relevant_from) for q in found.qrels},
        "experts": {pair: int(grade >= relevant_from) for pair, grade in experts.items()},
    }
    both, _, _ = judged_ratings(sides, categories=(1, 0))
    kappa = coefficient_value(both.with_all(), "pooled").value if right.n else None
    return Rightness(right.known, right.n, right.binary, right.exact, kappa)


def crowd_agreement(judgments: Sequence[Judgment]) -> tuple[tuple[str, float | None], ...]:
    """Krippendorff's alpha of all grades, nominal and ordinal; unsure and cannot judge do not enter."""
    graded = [(one, one.grade) for one in judgments if one.grade is not None]
    people = {name: at for at, name in enumerate(sorted({one.assessor for one, _ in graded}))}
    pairs: dict[Pair, int] = {}
    for one, _ in graded:
        pairs.setdefault((one.topic, one.docno), len(pairs))
    sheets = np.full((len(people), len(pairs)), NOT_JUDGED, dtype=np.int32)
    for one, grade in graded:
        sheets[people[one.assessor], pairs[one.topic, one.docno]] = grade
    grades = sorted({grade for _, grade in graded})
    if len(people) < 2 or len(grades) < 2:
        return ()
    ratings = ratings_of(sheets, categories=grades, missing=NOT_JUDGED)
    return tuple((f"alpha {level}", alpha(ratings, level).value) for level in ("nominal", "ordinal"))


def scores_of_runs(
    found: Mapping[str, Consensus], names: Sequence[str], measure: str
) -> dict[str, dict[str, float]]:
    """What each run is worth under each rule's qrels, by rule, then tag; rules without qrels are left out.

    Relevant is what each rule's qrels call so, unless the measure names a line. Raises WorkbenchError for
    more measures than one.
    """
    parsed = parse_measures(measure)
    if len(parsed) > 1:
        raise WorkbenchError("a ranking is by one measure", remedy="name one, such as AP")
    lines = {name: at_line(parsed[0], one.relevant_from) for name, one in found.items() if one.qrels}
    scorers = {name: Scorer(found[name].qrels, [line]) for name, line in lines.items()}
    scores: dict[str, dict[str, float]] = {name: {} for name in lines}
    for _, run in read_runs(names, warnings=False, unique_tags=True):
        sorted_once = in_order(run)
        for name, scorer in scorers.items():
            scores[name][run.tag] = scorer.score(sorted_once).values[str(lines[name])]
    return scores
