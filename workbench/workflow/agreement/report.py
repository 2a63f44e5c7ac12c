"""Agreement in a campaign: whole, of two assessors, by topic, and what further judgments may show.

And every machine against each person and against the people's majority.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from workbench.agreement.coefficient import CoefficientValue
from workbench.agreement.coefficients import coefficient_value
from workbench.agreement.estimates import (
    Estimate,
    TopicAgreement,
    TopicMean,
    by_topic,
    chosen,
    coefficients_of,
    differing,
    lowest_first,
    means,
    topic_coefficients,
    what_would_define,
)
from workbench.agreement.export import bounds_cells, method_cells
from workbench.agreement.options import AgreementOptions, Basis, Occasion, Singles
from workbench.agreement.pair_report import PairReport, pair_report
from workbench.agreement.pairwise import AssessorPair, assessor_pairs
from workbench.agreement.ratings import MISSING
from workbench.agreement.report import AgreementReport, agreement_report
from workbench.agreement.sample_size import intraclass_correlation
from workbench.agreement.selection import Selection
from workbench.agreement.two_series import MachineComparison, compare_machine, machine_coefficients, majority
from workbench.errors import NotFound, WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.records import id_bytes
from workbench.tables import Export, table_export
from workbench.workflow.agreement.selection import (
    ComparedGrades,
    campaign_answers,
    campaign_ratings,
    compared_grades,
    independent_answers,
)
from workbench.workflow.agreement.self_consistency import REPEAT_COLUMNS, ConsistencyReport, repeat_rows
from workbench.workflow.campaigns.collection import topics_of


def campaign_agreement(db: Session, campaign_id: int, options: AgreementOptions) -> AgreementReport:
    """The whole report; raises WorkbenchError where fewer than two gave grades, and for what cannot be."""
    return agreement_report(campaign_ratings(db, campaign_id, options), options)


def campaign_pair(
    db: Session, campaign_id: int, options: AgreementOptions, *, first: str, second: str
) -> PairReport:
    """Two assessors by name, among all that are included; raises WorkbenchError for names that are not."""
    # Two are compared by the table of what both judged.
    options = replace(options, singles=Singles.LEFT_OUT)
    return pair_report(campaign_ratings(db, campaign_id, options), options, first=first, second=second)


@frozen_dataclass
class People:
    """How far people alone agree: every two of them, and the pooled kappa of all `together`.

    That is the figure of the agreement page, with its interval and the number of its pairs.
    """

    names: tuple[str, ...]
    together: Estimate
    pairs: tuple[AssessorPair, ...]


def agreement_of_people(db: Session, campaign_id: int) -> People:
    """How far people agree, with the default options; raises WorkbenchError for fewer than two."""
    options = AgreementOptions()
    selection = campaign_ratings(db, campaign_id, options)
    together = chosen(coefficients_of(selection, options)[1], "pooled")
    pairs = assessor_pairs(selection.ratings.shared(), options)
    return People(tuple(one.name for one in selection.assessors), together, pairs)


def expected_of(db: Session, campaign_id: int) -> dict[str, Any]:
    """Of a size request what is known of a campaign: kappa, relevant, topics (effective) and icc."""
    options = AgreementOptions()
    try:
        selection = campaign_ratings(db, campaign_id, options)
    except WorkbenchError:
        return {}
    pooled = chosen(coefficients_of(selection, options)[1], "pooled")
    # Of so few topics that there is no interval nothing else is known either.
    if pooled.value is None or pooled.interval is None or pooled.interval.low is None:
        return {}
    shared = selection.ratings.shared()
    given = shared.given()
    found: dict[str, Any] = {
        "kappa": min(max(round(pooled.value, 2), 0.0), 0.99),
        "relevant": min(max(round(float((given.codes == 0).mean()), 3), 0.001), 0.999),
        "topics": int(pooled.interval.effective or 0),
    }
    icc = intraclass_correlation(shared)
    return found if icc is None else found | {"icc": round(icc, 3)}


@frozen_dataclass
class TopicLine:
    """A topic with its agreement."""

    topic: str
    title: str
    found: TopicAgreement


@frozen_dataclass
class TopicsReport:
    """Topics by the value of a coefficient, lowest first, and what they come to.

    `means` are over topics, each counting once; `together` are over all pairs of all topics. `without` are
    the topics, as (id, title), of which no pair is included.
    """

    options: AgreementOptions
    lines: tuple[TopicLine, ...]
    means: tuple[TopicMean, ...]
    together: tuple[CoefficientValue, ...]
    without: tuple[tuple[str, str], ...]
    selection: Selection

    @property
    def disputed(self) -> int:
        """On how many pairs of all topics two assessors differ."""
        return sum(line.found.disputed for line in self.lines)


@frozen_dataclass
class PairOfGrades:
    """A pair on which assessors differ: grades in the order of the report's assessors, None where none is.

    `apart` is the distance of the highest from the lowest grade; `across` says whether the relevance
    threshold lies between them.
    """

    docno: str
    grades: tuple[int | None, ...]
    apart: int
    across: bool


@frozen_dataclass
class TopicDisputes:
    """The pairs of a topic on which assessors differ, the farthest apart first; `n` were judged by two."""

    topic: str
    title: str
    assessors: tuple[str, ...]
    n: int
    pairs: tuple[PairOfGrades, ...]


def agreement_by_topic(
    db: Session, campaign_id: int, options: AgreementOptions, found: Selection | None = None
) -> TopicsReport:
    """Agreement on every topic, sorted by the options' coefficient, over the pairs that two judged.

    These are `found`, where they have been selected already. Raises WorkbenchError for a coefficient that
    topics are not sorted by, and as `campaign_ratings` does.
    """
    names = [one.name for one in topic_coefficients()]
    if options.coefficient not in names:
        message = f"topics cannot be sorted by {options.coefficient!r}"
        raise WorkbenchError(message, remedy=f"choose one of {', '.join(names)}")
    found = found or campaign_ratings(db, campaign_id, replace(options, basis=Basis.BOTH))
    titles = {topic.id: topic.title for topic in topics_of(db, campaign_id)}
    topics = tuple(one for one in by_topic(found.ratings, options) if one.n)
    compared = {found.topics[one.place] for one in topics}
    return TopicsReport(
        options=options,
        lines=tuple(
            TopicLine(found.topics[one.place], titles.get(found.topics[one.place], ""), one)
            for one in lowest_first(topics, options.coefficient)
        ),
        means=means(topics),
        together=tuple(coefficient_value(found.ratings, name) for name in names),
        without=tuple((topic, title) for topic, title in titles.items() if topic not in compared),
        selection=found,
    )


def disputed_pairs_export(found: TopicDisputes) -> Export:
    """Every pair with each assessor's grade, and how far these are apart."""
    rows = [(one.docno, *one.grades, one.apart, one.across) for one in found.pairs]
    return table_export(("docno", *found.assessors, "apart", "across_the_line"), rows)


def topic_columns() -> tuple[str, ...]:
    """The columns of `topic_rows`."""
    bounds = ("", "_low", "_high")
    estimates = (f"{one.name}{part}" for one in topic_coefficients() for part in bounds)
    how = ("undefined", "would_define", "interval", "level")
    return ("topic", "title", "n", "disputed", *estimates, *how)


def topic_rows(report: TopicsReport) -> Iterator[tuple[object, ...]]:
    """The report as rows of `topic_columns`, with all digits."""
    for line in report.lines:
        cells: list[object] = [line.topic, line.title, line.found.n, line.found.disputed]
        for one in line.found.estimates:
            cells += [one.value, *bounds_cells(one.interval)]
        chosen = line.found.estimate(report.options.coefficient)
        yield (
            *cells,
            chosen.found.undefined,
            what_would_define(chosen.found),
            *method_cells(chosen.interval),
        )


def disputed_pairs(db: Session, campaign_id: int, topic: str, options: AgreementOptions) -> TopicDisputes:
    """The pairs of a topic on which assessors gave different grades, on either side of the threshold or not.

    Raises NotFound for an unknown topic, WorkbenchError as `campaign_ratings` does.
    """
    titles = {one.id: one.title for one in topics_of(db, campaign_id)}
    if topic not in titles:
        raise NotFound(f"there is no topic {topic!r} in this campaign")
    found = campaign_ratings(
        db, campaign_id, replace(options, graded=True, basis=Basis.BOTH, singles=Singles.LEFT_OUT)
    )
    if topic not in found.topics:
        return TopicDisputes(topic, titles[topic], (), 0, ())
    columns = [at for at, (own, _) in enumerate(found.pairs) if own == topic]
    ratings = replace(found.by_grade, codes=found.by_grade.codes[:, columns])
    categories = ratings.categories
    pairs = []
    for place in np.flatnonzero(differing(ratings)).tolist():
        codes = ratings.codes[:, place].tolist()
        grades = tuple(None if code == MISSING else categories[code] for code in codes)
        given = [grade for grade in grades if grade is not None]
        across = min(given) < found.relevant_from <= max(given)
        docno = found.pairs[columns[place]][1]
        pairs.append(PairOfGrades(docno, grades, max(given) - min(given), across))
    took_part = [row for row in range(len(found.assessors)) if any(p.grades[row] is not None for p in pairs)]
    return TopicDisputes(
        topic,
        titles[topic],
        tuple(found.assessors[row].name for row in took_part),
        len(columns),
        tuple(
            PairOfGrades(one.docno, tuple(one.grades[row] for row in took_part), one.apart, one.across)
            for one in sorted(pairs, key=lambda one: (-one.apart, not one.across, id_bytes(one.docno)))
        ),
    )


Row = tuple[object, ...]
Data = dict[str, object]
Report = TypeVar("Report")


def topics_export(report: TopicsReport) -> Export:
    """The report by topic."""
    return _export(report, topic_columns(), topic_rows, _topics)


def machines_export(report: MachinesReport) -> Export:
    """The report on machines against people."""
    return _export(report, machine_columns(), machine_rows, _machines)


def repeats_export(report: ConsistencyReport) -> Export:
    """The report on self-consistency."""
    return _export(report, REPEAT_COLUMNS, repeat_rows, _repeats)


def _topics(report: TopicsReport) -> Data:
    selection = report.selection
    return {
        "relevant_from": selection.relevant_from,
        "graded": selection.graded,
        "entering": selection.sentence,
        "assessors": [one.name for one in selection.assessors],
        "by": report.options.coefficient,
        "mean_over_topics": {mean.name: mean.value for mean in report.means},
        "topics_without_value": {mean.name: mean.left_out for mean in report.means},
        "all_pairs_together": {found.name: found.value for found in report.together},
        "topics_without_pairs": [topic for topic, _ in report.without],
    }


def _machines(report: MachinesReport) -> Data:
    majorities = {
        one.machine: {"tied": one.lines[0].tied, "one_person": one.lines[0].alone}
        for one in report.machines
        if one.lines
    }
    return {
        "relevant_from": report.grades.relevant_from,
        "graded": report.grades.graded,
        "categories": list(report.grades.categories),
        "majority": majorities,
    }


def _repeats(report: ConsistencyReport) -> Data:
    contradictions = [
        {
            "assessor": one.assessor,
            "against": str(one.against),
            "topic": one.topic,
            "docno": one.docno,
            "stood": one.stood,
            "said": one.given,
            "across_the_line": one.across,
            "when": one.when.isoformat(),
        }
        for one in report.contradictions
    ]
    return {
        "relevant_from": report.grades.relevant_from,
        "graded": report.grades.graded,
        "no_grade": report.no_grade,
        "changed_later": report.changed_later,
        "contradictions": contradictions,
    }


def _export(
    report: Report,
    columns: Sequence[str],
    rows: Callable[[Report], Iterable[Row]],
    more: Callable[[Report], Data],
) -> Export:
    """A report with what JSON has besides the rows.

    `relevant_from` is the relevance threshold: where all grades are compared it still says which
    differences lie across it and what precision, recall and shares of relevant count.
    """

    def data() -> Data:
        listed = [dict(zip(columns, row, strict=True)) for row in rows(report)]
        return more(report) | {"rows": listed}

    return Export(tuple(columns), partial(rows, report), data)


MAJORITY = "majority"


@frozen_dataclass
class MachineLine:
    """A machine against a person, or (`person` None) against the majority of people.

    Of the majority `tied` pairs of the machine's are left out, and on `alone` one person's word counts alone.
    """

    person: str | None
    found: MachineComparison
    tied: int = 0
    alone: int = 0


@frozen_dataclass
class MachineReport:
    """A machine, how many pairs it graded, and its lines: the majority first, then persons by name."""

    machine: str
    graded: int
    lines: tuple[MachineLine, ...]


@frozen_dataclass
class MachinesReport:
    """Every machine that gave a grade; `people` are those who did."""

    machines: tuple[MachineReport, ...]
    people: tuple[str, ...]
    grades: ComparedGrades
    options: AgreementOptions


def machines_against_people(db: Session, campaign_id: int, options: AgreementOptions) -> MachinesReport:
    """Compare every machine with each person and with the majority, on the pairs that both graded.

    Raises InvalidInput for a grade that cannot be the relevance threshold.
    """
    grades = compared_grades(db, campaign_id, relevant_from=options.relevant_from, graded=options.graded)
    first = options.answers is Occasion.INDEPENDENT
    answers = (independent_answers if first else campaign_answers)(db, campaign_id)
    codes = np.full(answers.grades.shape, MISSING, np.int8)
    for grade in grades.scale:
        codes[answers.grades == grade] = grades.categories.index(grades.category(grade))
    gave = (codes != MISSING).any(axis=1)
    people = [row for row, one in enumerate(answers.assessors) if gave[row] and not one.machine]
    most, tied = majority(codes[people], len(grades.categories))
    alone = np.count_nonzero(codes[people] != MISSING, axis=0) == 1
    values_of = np.asarray(grades.categories, dtype=np.int64)

    def compared(person: NDArray[np.int8], machine: NDArray[np.int8]) -> MachineComparison:
        both = (person != MISSING) & (machine != MISSING)
        return compare_machine(
            values_of[person[both]],
            values_of[machine[both]],
            categories=grades.categories,
            relevant_from=grades.lowest_relevant,
            topics=answers.topics[both],
            options=options,
        )

    reports = []
    for row, one in enumerate(answers.assessors):
        if not one.machine or not gave[row]:
            continue
        own = codes[row]
        graded = own != MISSING
        lines = [
            MachineLine(answers.assessors[person].name, compared(codes[person], own)) for person in people
        ]
        if people:
            both = (int(np.count_nonzero(graded & some)) for some in (tied, alone))
            lines.insert(0, MachineLine(None, compared(most, own), *both))
        reports.append(MachineReport(one.name, int(np.count_nonzero(graded)), tuple(lines)))
    names = tuple(answers.assessors[row].name for row in people)
    return MachinesReport(tuple(reports), names, grades, options)


def machine_columns() -> tuple[str, ...]:
    """The columns of `machine_rows`."""
    valued = [one.name for one in machine_coefficients()] + ["precision", "recall"]
    return (
        "machine", "against", "person", "n", "topics",
        *(f"{name}{part}" for name in valued for part in ("", "_low", "_high")),
        *(f"quadratic_{one.name}" for one in machine_coefficients(weighted=True)), "undefined",
        "would_define", "interval", "level",
    )  # fmt: skip


def machine_rows(report: MachinesReport) -> Iterator[tuple[object, ...]]:
    """The report as rows of `machine_columns`, with all digits."""
    weights = len(machine_coefficients(weighted=True))
    for machine in report.machines:
        for line in machine.lines:
            found = line.found
            against = MAJORITY if line.person is None else "person"
            cells: list[object] = [machine.machine, against, line.person, found.n, found.topics]
            for one in found.estimates:
                cells += [one.value, *bounds_cells(one.interval)]
            for share in (found.precision, found.recall):
                cells += [share.value, share.low, share.high]
            weighted = [one.value for one in found.weighted] or [None] * weights
            pooled = found.pooled.found
            drawn = method_cells(found.pooled.interval)
            yield (*cells, *weighted, pooled.undefined, pooled.would_define, *drawn)
