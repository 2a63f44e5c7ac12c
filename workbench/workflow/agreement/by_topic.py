"""How far assessors agree on each topic, and on which pairs of it they differ."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from sqlalchemy.orm import Session

from workbench.agreement.report.rows import drawn_cells
from workbench.agreement.result import Coefficient
from workbench.agreement.several.by_topic import (
    COEFFICIENTS,
    ROUNDS,
    TopicAgreement,
    TopicMean,
    by_topic,
    differing,
    lowest_first,
    means,
    what_would_define,
)
from workbench.agreement.several.entering import Entering, Machines
from workbench.agreement.several.methods import METHODS, agreement
from workbench.agreement.table import MISSING
from workbench.errors import NotFound, WorkbenchError
from workbench.records import id_bytes
from workbench.workflow.agreement.entering import entering
from workbench.workflow.campaigns.collection import topics_of

TOPIC_COLUMNS = (
    "topic", "title", "n", "disputed",
    *(f"{name}{part}" for name in COEFFICIENTS for part in ("", "_low", "_high")), "undefined",
    "would_define", "interval", "level", "rounds", "seed",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class TopicLine:
    """A topic with its agreement."""

    topic: str
    title: str
    found: TopicAgreement


@dataclass(frozen=True, slots=True)
class TopicsReport:
    """Topics by the value of a coefficient, lowest first, and what they come to.

    `means` are over topics, each counting once; `together` are over all pairs of all topics. `without` are
    the topics, as (id, title), of which nothing enters. Intervals are of `rounds` resamples from `seed`.
    """

    by: str
    lines: tuple[TopicLine, ...]
    means: tuple[TopicMean, ...]
    together: tuple[Coefficient, ...]
    without: tuple[tuple[str, str], ...]
    entering: Entering
    rounds: int
    seed: int

    @property
    def disputed(self) -> int:
        """On how many pairs of all topics two assessors differ."""
        return sum(line.found.disputed for line in self.lines)


@dataclass(frozen=True, slots=True)
class DisputedPair:
    """A pair on which assessors differ: grades in the order of the report's assessors, None where none is.

    `apart` is the distance of the highest from the lowest grade; `across` says whether the line of relevance
    lies between them.
    """

    docno: str
    grades: tuple[int | None, ...]
    apart: int
    across: bool


@dataclass(frozen=True, slots=True)
class Disputed:
    """The pairs of a topic on which assessors differ, the farthest apart first; `n` were judged by two."""

    topic: str
    title: str
    assessors: tuple[str, ...]
    n: int
    pairs: tuple[DisputedPair, ...]


def agreement_by_topic(
    db: Session,
    campaign_id: int,
    *,
    by: str = "pooled",
    relevant_from: int | None = None,
    graded: bool = False,
    machines: Machines = Machines.APART,
    assessors: Collection[str] | None = None,
    rounds: int = ROUNDS,
    seed: int = 0,
) -> TopicsReport:
    """Agreement on every topic, sorted by a coefficient; what enters is as in `entering`.

    Raises WorkbenchError for another coefficient, and as `entering` does.
    """
    if by not in COEFFICIENTS:
        raise WorkbenchError(f"topics cannot be sorted by {by!r}", remedy=f"one of {', '.join(COEFFICIENTS)}")
    found = entering(
        db,
        campaign_id,
        relevant_from=relevant_from,
        graded=graded,
        machines=machines,
        assessors=assessors,
    )
    titles = {topic.id: topic.title for topic in topics_of(db, campaign_id)}
    topics = by_topic(found.ratings, rounds=rounds, seed=seed)
    names = found.topics
    return TopicsReport(
        by=by,
        lines=tuple(
            TopicLine(names[one.place], titles.get(names[one.place], ""), one)
            for one in lowest_first(topics, by)
        ),
        means=means(topics),
        together=tuple(agreement(found.ratings, name) for name in COEFFICIENTS),
        without=tuple((topic, title) for topic, title in titles.items() if topic not in names),
        entering=found,
        rounds=rounds,
        seed=seed,
    )


def topic_rows(report: TopicsReport) -> Iterator[tuple[object, ...]]:
    """The report as rows of TOPIC_COLUMNS, with all digits."""
    for line in report.lines:
        cells: list[object] = [line.topic, line.title, line.found.n, line.found.disputed]
        for found, interval in zip(line.found.coefficients, line.found.intervals, strict=True):
            cells += [found.value, interval.low, interval.high]
        chosen = line.found.coefficient(report.by)
        yield (
            *cells,
            chosen.undefined,
            what_would_define(chosen),
            *drawn_cells(line.found.interval(report.by)),
        )


def labels() -> dict[str, str]:
    """What the coefficients are called, by name."""
    return {name: METHODS[name].label.replace("Gwet's AC", "Gwet's AC1") for name in COEFFICIENTS}


def disputed_pairs(
    db: Session,
    campaign_id: int,
    topic: str,
    *,
    relevant_from: int | None = None,
    machines: Machines = Machines.APART,
    assessors: Collection[str] | None = None,
) -> Disputed:
    """The pairs of a topic on which assessors gave different grades, whether across the line or not.

    Raises NotFound for an unknown topic, WorkbenchError as `entering` does.
    """
    titles = {one.id: one.title for one in topics_of(db, campaign_id)}
    if topic not in titles:
        raise NotFound(f"there is no topic {topic!r} in this campaign")
    found = entering(
        db,
        campaign_id,
        relevant_from=relevant_from,
        graded=True,
        machines=machines,
        assessors=assessors,
    )
    categories, codes = found.by_grade.categories, found.by_grade.codes
    here = [place for place, (own, _) in enumerate(found.pairs) if own == topic]
    differ = differing(found.by_grade)
    pairs = []
    for place in here:
        if not differ[place]:
            continue
        grades = tuple(None if code == MISSING else categories[code] for code in codes[:, place].tolist())
        given = [grade for grade in grades if grade is not None]
        across = min(given) < found.relevant_from <= max(given)
        pairs.append(DisputedPair(found.pairs[place][1], grades, max(given) - min(given), across))
    took_part = [row for row in range(len(found.assessors)) if any(p.grades[row] is not None for p in pairs)]
    return Disputed(
        topic,
        titles[topic],
        tuple(found.assessors[row].name for row in took_part),
        len(here),
        tuple(
            DisputedPair(one.docno, tuple(one.grades[row] for row in took_part), one.apart, one.across)
            for one in sorted(pairs, key=lambda one: (-one.apart, not one.across, id_bytes(one.docno)))
        ),
    )
