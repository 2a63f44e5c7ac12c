"""What only searching, or only people, brought into a pool and no run did, and the scores without it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from functools import partial

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.errors import WorkbenchError
from workbench.frozen import frozen_dataclass
from workbench.pooling.pool import Pair
from workbench.records import pair_of
from workbench.storage.tables import (
    AccountRow,
    CampaignRow,
    PoolEntryRow,
    PoolRow,
    SearchEventRow,
    SearchRow,
)
from workbench.tables import Export
from workbench.trust.alternatives import AlternativeQrels, ranking_measure, score_under
from workbench.trust.left_out import ScoresLeftOut, scores_left_out, without_pairs
from workbench.workflow.campaigns.campaigns import scale_from_json
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.log import answers_by_topic
from workbench.workflow.pools.pooled_topics import highest_grades_of
from workbench.workflow.runs.packed_store import arrays_for_use
from workbench.workflow.scores.score_table import ScoreTable
from workbench.workflow.searching.searches import SearchHappening, asked_in_words, reason_begins

NO_MACHINES: frozenset[int] = frozenset()
"""Nobody's grades are left out: what a machine says is relevant is so, too."""


@frozen_dataclass
class SearchedDocument:
    """A document that a search alone brought into a pool: which search, at which rank, and whose.

    `relevant` is None as long as nobody has graded it.
    """

    topic: str
    docno: str
    search: int
    rank: int
    query: str
    by: str
    relevant: bool | None


@frozen_dataclass
class TopicFound:
    """A topic's searches: documents opened, judged or added by searching, and those that no run brought.

    Of the latter, `no_run`, `judged` have anybody's current grade and `relevant` a relevant one;
    `relevant_of_topic` documents of the topic have a relevant grade, found in whatever way.
    """

    topic: str
    title: str
    searches: int
    opened: int
    joined: int
    no_run: int
    judged: int
    relevant: int
    relevant_of_topic: int


@frozen_dataclass
class SearcherFound:
    """A person's searches in all topics, with what only these brought, as `TopicFound` counts it."""

    by: str
    searches: int
    no_run: int
    judged: int
    relevant: int


@frozen_dataclass
class SearchingReport:
    """What searching found: by topic that was searched, by person, and document by document."""

    topics: tuple[TopicFound, ...]
    people: tuple[SearcherFound, ...]
    documents: tuple[SearchedDocument, ...]

    @property
    def no_run(self) -> int:
        """How many documents only searching brought."""
        return sum(one.no_run for one in self.topics)

    @property
    def judged(self) -> int:
        """How many of these have a grade."""
        return sum(one.judged for one in self.topics)

    @property
    def relevant(self) -> int:
        """How many of these have a relevant grade."""
        return sum(one.relevant for one in self.topics)

    @property
    def relevant_of_topics(self) -> int:
        """How many documents of the searched topics are relevant, found in whatever way."""
        return sum(one.relevant_of_topic for one in self.topics)


def found_by_search(db: Session, campaign_id: int) -> SearchingReport:
    """What searching found in a campaign; topics in their order, people by what they found.

    A document is relevant if any assessor's current grade is.
    """
    searched = _searches(db, campaign_id)
    topics = sorted({topic for topic, _ in searched})
    grades = _relevance(db, campaign_id, topics)
    documents = tuple(_only_found(db, campaign_id, topics, grades))
    happened = _happened(db, campaign_id)
    by_topic = []
    for topic, title in topic_titles(db, campaign_id).items():
        if topic not in topics:
            continue
        new = [one for one in documents if one.topic == topic]
        by_topic.append(
            TopicFound(
                topic,
                title,
                sum(count for (of, _), count in searched.items() if of == topic),
                len(happened.get((topic, True), ())),
                len(happened.get((topic, False), ())),
                *_counted(new),
                sum(grades.get(topic, {}).values()),
            )
        )
    return SearchingReport(tuple(by_topic), _by_person(searched, documents), documents)


def _by_person(
    searched: Mapping[tuple[str, str], int], documents: Sequence[SearchedDocument]
) -> tuple[SearcherFound, ...]:
    found = []
    for name in sorted({who for _, who in searched}):
        own = [one for one in documents if one.by == name]
        searches = sum(count for (_, who), count in searched.items() if who == name)
        found.append(SearcherFound(name, searches, *_counted(own)))
    return tuple(sorted(found, key=lambda one: (-one.relevant, -one.no_run, one.by)))


def _counted(documents: Sequence[SearchedDocument]) -> tuple[int, int, int]:
    """How many these are, how many of them have a grade, and how many a relevant one."""
    judged = [one.relevant for one in documents if one.relevant is not None]
    return len(documents), len(judged), sum(judged)


def _searches(db: Session, campaign_id: int) -> dict[tuple[str, str], int]:
    """How many searches there are, by topic and person."""
    rows = db.execute(
        select(SearchRow.topic, AccountRow.name, func.count())
        .outerjoin(AccountRow, AccountRow.id == SearchRow.account_id)
        .where(SearchRow.campaign_id == campaign_id)
        .group_by(SearchRow.topic, AccountRow.id, AccountRow.name)
    )
    found: dict[tuple[str, str], int] = {}
    for topic, name, count in rows:
        found[topic, name or ""] = found.get((topic, name or ""), 0) + count
    return found


def _happened(db: Session, campaign_id: int) -> dict[tuple[str, bool], set[str]]:
    """The documents of a topic that were opened (True), or judged or added (False), by searching."""
    rows = db.execute(
        select(SearchRow.topic, SearchEventRow.happening, SearchEventRow.docno)
        .join(SearchRow, SearchRow.id == SearchEventRow.search_id)
        .where(SearchRow.campaign_id == campaign_id, SearchEventRow.docno.is_not(None))
        .distinct()
    )
    found: dict[tuple[str, bool], set[str]] = {}
    for topic, happening, docno in rows:
        if docno is not None:
            found.setdefault((topic, happening == str(SearchHappening.OPENED)), set()).add(docno)
    return found


def only_found_pairs(db: Session, campaign_id: int) -> frozenset[Pair]:
    """The pairs that only searching brought into a pool, and no run into any."""
    topics = list(db.scalars(select(SearchRow.topic).where(SearchRow.campaign_id == campaign_id).distinct()))
    return frozenset(map(pair_of, _only_found(db, campaign_id, topics, {})))


def only_added_pairs(db: Session, campaign_id: int) -> frozenset[Pair]:
    """The pairs that people added to a pool in whatever way, and that no run brought into any."""
    added = _entries_without_run(db, campaign_id)
    brought = _brought_by_runs(db, campaign_id, sorted({topic for topic, _ in added}))
    return frozenset(added.keys() - brought)


def _only_found(
    db: Session, campaign_id: int, topics: Collection[str], grades: Mapping[str, Mapping[str, bool]]
) -> Iterable[SearchedDocument]:
    """A pair belongs to the search that is the reason of its pool entry, not to all that showed it."""
    added = _entries_without_run(db, campaign_id)
    brought = _brought_by_runs(db, campaign_id, topics)
    joined = [str(SearchHappening.JUDGED), str(SearchHappening.ADDED)]
    rows = db.execute(
        select(SearchRow, SearchEventRow.rank, SearchEventRow.docno, AccountRow.name)
        .join(SearchEventRow, SearchEventRow.search_id == SearchRow.id)
        .outerjoin(AccountRow, AccountRow.id == SearchRow.account_id)
        .where(SearchRow.campaign_id == campaign_id, SearchEventRow.happening.in_(joined))
        .order_by(SearchEventRow.id)
    )
    known: set[Pair] = set()
    for search, rank, docno, name in rows:
        pair = (search.topic, docno or "")
        reason = reason_begins(search, rank)
        if pair in known or pair in brought or not any(one.startswith(reason) for one in added.get(pair, ())):
            continue
        known.add(pair)
        query, relevant = asked_in_words(search), grades.get(pair[0], {}).get(pair[1])
        yield SearchedDocument(*pair, search.id, rank, query, name or "", relevant)


def _entries_without_run(db: Session, campaign_id: int) -> dict[Pair, list[str]]:
    """The reasons of pairs that were added to pools, and that no run brought there."""
    rows = db.execute(
        select(PoolEntryRow.topic, PoolEntryRow.docno, PoolEntryRow.reason)
        .join(PoolRow)
        .where(
            PoolRow.campaign_id == campaign_id,
            PoolEntryRow.added_at.is_not(None),
            PoolEntryRow.run_count == 0,
        )
    )
    found: dict[Pair, list[str]] = {}
    for topic, docno, reason in rows:
        found.setdefault((topic, docno), []).append(reason or "")
    return found


def _brought_by_runs(db: Session, campaign_id: int, topics: Collection[str]) -> set[Pair]:
    """The pairs of these topics that a run brought into any pool."""
    rows = db.execute(
        select(PoolEntryRow.topic, PoolEntryRow.docno)
        .join(PoolRow)
        .where(PoolRow.campaign_id == campaign_id, PoolEntryRow.topic.in_(topics), PoolEntryRow.run_count > 0)
    )
    return {(topic, docno) for topic, docno in rows}


def _relevance(db: Session, campaign_id: int, topics: Collection[str]) -> dict[str, dict[str, bool]]:
    """Whether anybody's current grade of a document is relevant, by topic; only documents with a grade."""
    least = scale_from_json(db.get_one(CampaignRow, campaign_id).scale).relevant_from
    answers = answers_by_topic(db, campaign_id) if topics else {}
    return {
        topic: {
            docno: grade >= least for docno, grade in highest_grades_of(answers[topic], NO_MACHINES).items()
        }
        for topic in topics
        if topic in answers
    }


Lines = Sequence[TopicFound] | Sequence[SearcherFound] | Sequence[SearchedDocument]
PARTS: dict[str, tuple[type, Callable[[SearchingReport], Lines]]] = {
    "topics": (TopicFound, lambda found: found.topics),
    "people": (SearcherFound, lambda found: found.people),
    "documents": (SearchedDocument, lambda found: found.documents),
}
"""The tables by name: what a line is, and the lines."""


def searching_export(found: SearchingReport, part: str) -> Export:
    """One table of the report for CSV, all of it for JSON."""
    kind, lines = PARTS[part]
    columns = tuple(one.name for one in fields(kind))
    return Export(
        columns,
        lambda: ([getattr(line, name) for name in columns] for line in lines(found)),
        partial(asdict, found),
    )


@frozen_dataclass
class LeftOutChoice:
    """Documents that can be left out: their label, what a sentence says of them, and which they are."""

    label: str
    words: str
    pairs: Callable[[Session, int], frozenset[Pair]]


CHOICES = {
    "search": LeftOutChoice("Found only by searching", "found only by searching", only_found_pairs),
    "added": LeftOutChoice(
        "Added by people in any way", "added by people and contributed by no run", only_added_pairs
    ),
}
"""What can be left out, by name. To add one: a line here; the page, its exports and the command take it."""


def pairs_to_leave_out(db: Session, campaign_id: int, table: ScoreTable, leave_out: str) -> frozenset[Pair]:
    """The pairs of a table's qrels that a choice leaves out; raises WorkbenchError for no choice."""
    if leave_out not in CHOICES:
        raise WorkbenchError(
            f"{leave_out!r} cannot be left out", remedy=f"choose one of {', '.join(CHOICES)}"
        )
    return frozenset(CHOICES[leave_out].pairs(db, campaign_id)) & table.qrels.grades.keys()


def table_left_out(
    db: Session, campaign_id: int, table: ScoreTable, shown: str, leave_out: str, *, seed: int = 0
) -> ScoresLeftOut:
    """The runs of a whole table by one of its measures, with and without some documents of its qrels.

    Raises WorkbenchError for a choice that is none, where the qrels have none of the documents, for fewer
    than two runs, and for a measure that is better the lower it is.
    """
    pairs = pairs_to_leave_out(db, campaign_id, table, leave_out)
    measure = ranking_measure(shown)
    words, relevant_from = CHOICES[leave_out].words, table.qrels.relevant_from
    # The threshold of the table's measures is in their names: no other is set here.
    qrels = AlternativeQrels("qrels", table.qrels.grades)
    sides, left_out = without_pairs(qrels, pairs, words, relevant_from, seed=seed)
    read = (arrays_for_use(db, campaign_id, one.tag) for one in table.runs)
    return scores_left_out(score_under(sides, read, measure), left_out, seed=seed)
