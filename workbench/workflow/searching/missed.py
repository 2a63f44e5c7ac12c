"""What the pool still misses, estimated from the samples of what was neither pooled nor judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import partial

from sqlalchemy.orm import Session

from workbench.learning.missed import ElusionSample, bounds_of_sum, recall_bounds
from workbench.storage.tables import CampaignRow, MissedSampleRow
from workbench.tables import Export
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.campaigns.scales import scale_from_json
from workbench.workflow.log import answers_by_topic
from workbench.workflow.pools.pooled_topics import highest_grades_of, machines_of
from workbench.workflow.searching.drawing import last_sample_numbers


@dataclass(frozen=True, slots=True)
class MissedLine:
    """A topic, or all together: what the sample says of the `unpooled` documents it was drawn from.

    `known` documents were pooled or judged before, of which `known_judged` are judged now and
    `known_relevant` relevant. Of the `drawn`, `judged` and `relevant` likewise. `missed` are the relevant
    documents among the unpooled, `recall` is known_relevant / (known_relevant + missed), both with 95 %
    intervals. `more_low` and `more_high` bound `missed` if as many again were drawn, all judged, and as large
    a share of them relevant; None where nothing is judged. The seed is None for all together.
    """

    topic: str
    title: str
    seed: int | None
    known: int
    known_judged: int
    known_relevant: int
    unpooled: int
    drawn: int
    judged: int
    relevant: int
    missed: float | None
    missed_low: int
    missed_high: int
    recall: float | None
    recall_low: float | None
    recall_high: float | None
    more_low: int | None
    more_high: int | None


@dataclass(frozen=True, slots=True)
class MissedReport:
    """The sampled topics in their order, all of them together, and how many topics the campaign has."""

    topics: tuple[MissedLine, ...]
    together: MissedLine | None
    of_topics: int


def missed_report(db: Session, campaign_id: int) -> MissedReport:
    """What the pools of a campaign still miss, by topic that was sampled and together.

    A document is relevant if the highest grade of any person is.
    """
    least = scale_from_json(db.get_one(CampaignRow, campaign_id).scale).relevant_from
    machines, answers = machines_of(db, campaign_id), answers_by_topic(db, campaign_id)
    numbers, titles = last_sample_numbers(db, campaign_id), topic_titles(db, campaign_id)
    found = []
    for topic, title in titles.items():
        if topic in numbers:
            row = db.get_one(MissedSampleRow, numbers[topic])
            highest = highest_grades_of(answers[topic], machines) if topic in answers else {}
            line = _of_topic(row, {docno: grade >= least for docno, grade in highest.items()})
            found.append((title, *line))
    lines = tuple(replace(line, title=title) for title, line, _ in found)
    known = [(one.known, one.known_judged, one.known_relevant) for one in lines]
    all_known = [sum(column) for column in zip(*known, strict=True)]
    together = _line("all", None, all_known, [sample for *_, sample in found]) if lines else None
    return MissedReport(lines, together, len(titles))


def _of_topic(row: MissedSampleRow, grades: dict[str, bool]) -> tuple[MissedLine, ElusionSample]:
    before = [grades[docno] for docno in row.known if docno in grades]
    drawn = [grades[docno] for docno in row.docnos if docno in grades]
    sample = ElusionSample(row.unpooled, len(row.docnos), len(drawn), sum(drawn))
    return _line(row.topic, row.seed, (len(row.known), len(before), sum(before)), [sample]), sample


def _line(topic: str, seed: int | None, known: Sequence[int], samples: Sequence[ElusionSample]) -> MissedLine:
    """What samples say together, where so many documents were known, judged of these, and relevant."""
    estimates = [one.estimate for one in samples]
    missed = None if None in estimates else sum(one for one in estimates if one is not None)
    low, high = bounds_of_sum(samples)
    recall = recall_bounds(known[2], (low, high)) or (None, None)
    more = (None, None) if missed is None else bounds_of_sum([one.with_more(one.drawn) for one in samples])
    return MissedLine(
        topic=topic,
        title="",
        seed=seed,
        known=known[0],
        known_judged=known[1],
        known_relevant=known[2],
        unpooled=sum(one.left for one in samples),
        drawn=sum(one.drawn for one in samples),
        judged=sum(one.judged for one in samples),
        relevant=sum(one.relevant for one in samples),
        missed=missed,
        missed_low=low,
        missed_high=high,
        recall=None if missed is None or not known[2] + missed else known[2] / (known[2] + missed),
        recall_low=recall[0],
        recall_high=recall[1],
        more_low=more[0],
        more_high=more[1],
    )


def missed_export(report: MissedReport) -> Export:
    """The topics for CSV; for JSON all together too."""
    columns = tuple(one.name for one in fields(MissedLine))
    return Export(
        columns,
        lambda: ([getattr(line, name) for name in columns] for line in report.topics),
        partial(asdict, report),
    )
