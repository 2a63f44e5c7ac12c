"""The JSON of results: agreement, disputes, qrels in numbers, scores, discussions."""

from __future__ import annotations

from typing import Any, NotRequired

from typing_extensions import TypedDict


class IntervalJson(TypedDict):
    """An interval at a confidence `level`: its bounds, or why there are none.

    Of one over topics `effective_topics` says how many equally rich topics these are worth.
    """

    method: str
    level: float
    units: int
    effective_topics: NotRequired[float]
    low: NotRequired[float]
    high: NotRequired[float | None]
    undefined: NotRequired[str]


class EstimateJson(TypedDict):
    """A coefficient of `n` pairs with its source in the literature: its value, or why it has none.

    `interval` is over topics, `analytic` of these documents alone, as if they were independent.
    """

    label: str
    source: str
    n: int
    observed: float | None
    expected: float | None
    value: NotRequired[float]
    band_landis_koch: NotRequired[str | None]
    undefined: NotRequired[str]
    would_define: NotRequired[str]
    interval: NotRequired[IntervalJson]
    analytic: NotRequired[IntervalJson]


Coefficients = dict[str, EstimateJson]


class IncludedAssessor(TypedDict):
    """An assessor who entered a report."""

    name: str
    machine: bool


class LeftOutAnswers(TypedDict):
    """Answers that did not enter a report, by reason."""

    unsure: int
    cannot_judge: int
    judged_by_one_only: int


class CountedAsLowest(TypedDict):
    """Pairs that count as the lowest grade, since only another assessor judged them, or nobody."""

    judged_by_another: int
    judged_by_nobody: int


class SelectionJson(TypedDict):
    """What entered a report of agreement, and what was left out."""

    sentence: str
    basis: str
    graded: bool
    relevant_from: int | None
    scale: list[int]
    assessors: list[IncludedAssessor]
    pairs: int
    topics: int
    left_out: LeftOutAnswers
    counted_towards_expected_agreement_only: int
    counted_as_lowest: CountedAsLowest


class MethodJson(TypedDict):
    """How a report of agreement was computed."""

    weights: str | list[list[float]]
    weights_divided_by: float
    level: str
    confidence: float


class ParadoxJson(TypedDict):
    """High agreement with a low kappa, since one grade is common: what chance gives, and S without it."""

    observed: float
    kappa: float
    expected: float
    uniform: float
    grade: int
    share: float


class GradeAgreementJson(TypedDict):
    """How far assessors agree on one grade: specific agreement, and kappa against all other grades."""

    grade: int
    given: int
    share: float | None
    specific: float | None
    undefined: NotRequired[str]
    would_define: NotRequired[str]
    interval: NotRequired[IntervalJson]
    kappa_against_the_rest: float | None
    kappa_undefined: NotRequired[str]
    kappa_would_define: NotRequired[str]
    kappa_interval: NotRequired[IntervalJson]


class MeanOfPairs(TypedDict):
    """A coefficient's mean over every two assessors; `left_out` counts those without a value."""

    label: str
    value: float | None
    pairs: int
    left_out: int
    interval: IntervalJson | None


class TwoAssessors(TypedDict):
    """Two assessors: their table of grades, their coefficients, and of two grades a close look."""

    first: str
    second: str
    machine: bool
    n: int
    first_only: int
    second_only: int
    categories: list[int]
    table: list[list[int]]
    coefficients: Coefficients
    positive: NotRequired[float | None]
    positive_undefined: NotRequired[str]
    negative: NotRequired[float | None]
    negative_undefined: NotRequired[str]
    overlap: NotRequired[float | None]
    overlap_undefined: NotRequired[str]
    prevalence: NotRequired[float | None]
    prevalence_undefined: NotRequired[str]
    bias: NotRequired[float | None]
    bias_undefined: NotRequired[str]
    precision: NotRequired[float | None]
    precision_undefined: NotRequired[str]
    recall: NotRequired[float | None]
    recall_undefined: NotRequired[str]


class OverlapJson(TypedDict):
    """The overlap of some assessors' relevant documents."""

    assessors: list[str]
    mean_over_topics: float | None
    mean_interval: IntervalJson | None
    topics_together: float | None
    together_interval: IntervalJson | None
    topics_without_relevant: int


class ThresholdJson(TypedDict):
    """Agreement on relevant or not, with grades from `relevant_from` on as relevant."""

    relevant_from: int
    coefficients: Coefficients
    positive: GradeAgreementJson
    negative: GradeAgreementJson
    prevalence_index: float | None
    overlap: float | None
    overlap_interval: IntervalJson | None


class LeniencyJson(TypedDict):
    """How an assessor's share of relevant differs from the others' on the `n` pairs that they share."""

    assessor: str
    n: int
    own: float | None
    others: float | None
    difference: float | None
    interval: IntervalJson | None


class AgreementJson(TypedDict):
    """How far assessors agree: all together, by grade, every two, at every threshold."""

    entered: SelectionJson
    how: MethodJson
    coefficients: Coefficients
    pooled_and_unpooled: str
    prevalence_index: float | None
    paradox: ParadoxJson | None
    grades: list[GradeAgreementJson]
    grades_of_the_scale: list[GradeAgreementJson]
    means_over_pairs: dict[str, MeanOfPairs]
    pairs: list[TwoAssessors]
    assessors_without_pairs_listed: int
    overlap: list[OverlapJson]
    thresholds: list[ThresholdJson]
    strictness: list[LeniencyJson]


class DisputedAnswer(TypedDict):
    """One assessor's answer to a disputed pair; without `assessor` where names are hidden."""

    answer: str
    grade: int | None
    assessor: NotRequired[str]


class InfluenceJson(TypedDict):
    """The largest effect of a pair on the runs' means, one of its grades against another.

    `swaps` of two runs (1/2 where one grade ties them), the mean difference `uneven` of the change between
    two runs, and the sum `shift` of the changes.
    """

    swaps: float
    uneven: float
    shift: float


class DecidedJson(TypedDict):
    """What was decided: `grade`, `back` to its assessors, or `unclear` for an unclear topic."""

    decision: str
    grade: int | None
    reason: str
    by: str
    at: str


class DisputeJson(TypedDict):
    """A disputed pair: its answers and how far they lie apart, its state, and what was decided."""

    topic: str
    doc: str
    state: str
    answers: list[DisputedAnswer]
    distance: int
    mean_distance: float
    crosses_line: bool
    discussed: bool
    answers_changed_since: bool
    influence: InfluenceJson | None
    decided: DecidedJson | None


class QueueRules(TypedDict):
    """What counted as disputed."""

    difference: str
    steps: int
    beside_grades: bool
    machines: bool
    names_hidden: bool
    measure: str


class DisputesJson(TypedDict):
    """The disputed pairs in the order asked for, and how many there are in each state."""

    disputed: int
    done: int
    counts: dict[str, int]
    rules: QueueRules
    order: str
    pairs: list[DisputeJson]


class QrelsReportJson(TypedDict):
    """What a rule makes of the judgments: lines, pairs settled and left by reason, lines by grade.

    `confidence` is the mean of the settled pairs' where a rule has one.
    """

    rule: str
    parameters: dict[str, Any]
    lines: int
    lines_unjudged: int
    settled: int
    adjudicated: int
    unsettled: int
    left: dict[str, int]
    by_grade: dict[str, int]
    relevant_from: int
    relevant: int
    topics: int
    without_relevant: list[str]
    confidence: float | None


class MeasureScore(TypedDict):
    """A run by a measure: its mean over topics with a t interval (null for a measure that counts).

    Of the documents that the measure `read`, `unjudged` have no judgment; null for one that reads none.
    """

    value: float
    low: float | None
    high: float | None
    unjudged: int | None
    read: int | None


class ScoreJson(TypedDict):
    """A run with its group, the topics it was scored on, and its measures by name."""

    run: str
    group: str | None
    topics_scored: int
    topics_in_qrels: int
    measures: dict[str, MeasureScore]


class DisputeRulesJson(QueueRules):
    """What counts as disputed, whose judgments count, and how disputes are shown and discussed.

    `difference` is any, line (relevant or not) or distance, which is `steps` grades. `measure` is the one by
    which the influence of a pair on the ranking is computed.
    """

    blind_discussion: bool
    reasons_required: bool


class QueueTopicJson(TypedDict):
    """A topic of a queue: pairs done, out, waiting and stuck; judgments given of those needed."""

    topic: str
    title: str
    pairs: int
    done: int
    out: int
    waiting: int
    stuck: int
    given: int
    needed: int


class OutJson(TypedDict):
    """A pair that an assessor was handed and has not answered; `abandoned` if the lease is over."""

    topic: str
    docno: str
    assessor: str
    since: str
    abandoned: bool


class QueueJson(TypedDict):
    """How far a queue has come: its pairs and judgments, by topic, and what is out."""

    pool: str
    per_pair: int
    lease_minutes: int
    pairs: int
    done: int
    waiting: int
    stuck: int
    given: int
    needed: int
    assessors: list[str]
    topics: list[QueueTopicJson]
    out: list[OutJson]


class Counted(TypedDict):
    """How many were added, changed or removed."""

    count: int
