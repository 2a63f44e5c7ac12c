"""What a person searched as a manual run: what was found relevant, then what was opened, then what was shown.

Interactive searching and judging (Cormack, Palmer and Clarke, SIGIR 1998) and the manual runs of TREC rank
what the searcher judged relevant before what nobody has read.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from workbench.errors import NotFound
from workbench.formats.runs import write_run
from workbench.records import Answer, Ranking, Run
from workbench.storage.events import CURRENT_PURPOSES
from workbench.storage.tables import (
    AccountRow,
    AssessorRow,
    CampaignRow,
    JudgmentEventRow,
    SearchEventRow,
    SearchRow,
)
from workbench.workflow.campaigns.collection import topic_titles
from workbench.workflow.campaigns.scales import scale_from_json
from workbench.workflow.runs.run_checks import RunChecker, RunUpload, check_files
from workbench.workflow.searching.searches import SearchHappening

ORDER = (
    "By topic: judged relevant or added to a pool, in that order; then opened; then shown, by best rank. "
    "What the searcher judged not relevant is left out."
)


@dataclass(frozen=True, slots=True)
class SearcherLine:
    """A person who searched, with how many searches for how many topics."""

    account_id: int
    name: str
    login: str
    searches: int
    topics: int


@dataclass(frozen=True, slots=True)
class SessionTopic:
    """What a person's searches for a topic give, in the order of the run; `left_out` are not in it."""

    topic: str
    title: str
    relevant: tuple[str, ...]
    opened: tuple[str, ...]
    shown: tuple[str, ...]
    left_out: int

    @property
    def docnos(self) -> tuple[str, ...]:
        """The ranking of the topic."""
        return self.relevant + self.opened + self.shown


@dataclass(frozen=True, slots=True)
class SearchSession:
    """All searches of a person in a campaign, topic by topic in the campaign's order."""

    by: SearcherLine
    topics: tuple[SessionTopic, ...]

    @property
    def suggested_tag(self) -> str:
        """A tag for the run, which names nobody, since runs are released; it may be taken."""
        return f"search-{self.by.account_id}"

    @property
    def suggested_description(self) -> str:
        """How the run was made, without a name, which would outlive the person's data."""
        searches = f"{self.by.searches:,} {'search' if self.by.searches == 1 else 'searches'}"
        topics = f"{self.by.topics:,} {'topic' if self.by.topics == 1 else 'topics'}"
        return f"Interactive searches of one person: {searches} for {topics}. {ORDER}"

    def run(self, tag: str, *, most: int | None = None) -> Run:
        """The run, of each topic at most so many documents; scores count down to 1."""
        rankings = {}
        for one in self.topics:
            docnos = one.docnos[:most]
            if docnos:
                rankings[one.topic] = Ranking(docnos, tuple(float(n) for n in range(len(docnos), 0, -1)))
        return Run(tag, rankings)


@dataclass(frozen=True, slots=True)
class SessionEvent:
    """What became of a document in a search, in the order of happening."""

    docno: str
    happening: SearchHappening


def searchers(db: Session, campaign_id: int) -> tuple[SearcherLine, ...]:
    """The people who searched for topics of the campaign, by name."""
    count = func.count(SearchRow.id), func.count(SearchRow.topic.distinct())
    rows = db.execute(
        select(AccountRow.id, AccountRow.name, AccountRow.login, *count)
        .join(SearchRow, SearchRow.account_id == AccountRow.id)
        .where(SearchRow.campaign_id == campaign_id, SearchRow.topic != "")
        .group_by(AccountRow.id, AccountRow.name, AccountRow.login)
        .order_by(AccountRow.name, AccountRow.id)
    )
    return tuple(SearcherLine(*row) for row in rows)


def searcher_by_login(db: Session, campaign_id: int, login: str) -> int:
    """The number of the account of somebody who searched; raises NotFound."""
    for one in searchers(db, campaign_id):
        if one.login == login.casefold():
            return one.account_id
    raise NotFound(f"nobody with the login {login} has searched in this campaign")


def search_session(db: Session, campaign_id: int, account_id: int) -> SearchSession:
    """What a person searched in a campaign; raises NotFound for one who never did."""
    by = next((one for one in searchers(db, campaign_id) if one.account_id == account_id), None)
    if by is None:
        raise NotFound("this person has not searched", remedy="choose one who has")
    shown = _shown(db, campaign_id, account_id)
    events = _events(db, campaign_id, account_id)
    verdicts = _verdicts(db, campaign_id, account_id)
    return SearchSession(
        by,
        tuple(
            session_topic((topic, title), shown[topic], events.get(topic, ()), verdicts.get(topic, {}))
            for topic, title in topic_titles(db, campaign_id).items()
            if topic in shown
        ),
    )


def session_topic(
    topic: tuple[str, str],
    shown: Sequence[Sequence[str]],
    events: Sequence[SessionEvent],
    verdicts: Mapping[str, bool],
) -> SessionTopic:
    """The ranking of a topic with id and title, from what each search has shown and what happened then.

    `verdicts` are the searcher's own grades: relevant or not.
    """
    # Events of a document that are neither relevant nor refused show that it was read.
    joined = (SearchHappening.JUDGED, SearchHappening.ADDED)
    relevant = _distinct(
        one.docno
        for one in events
        if one.happening in joined and verdicts.get(one.docno, one.happening is SearchHappening.ADDED)
    )
    refused = {docno for docno, good in verdicts.items() if not good}
    known = refused.union(relevant)
    opened = _distinct(one.docno for one in events if one.docno not in known)
    known.update(opened)
    ranks: dict[str, tuple[int, int]] = {}
    for number, docnos in enumerate(shown):
        for rank, docno in enumerate(docnos, start=1):
            ranks[docno] = min(ranks.get(docno, (rank, number)), (rank, number))
    rest = sorted((docno for docno in ranks if docno not in known), key=ranks.__getitem__)
    met = ranks.keys() | {one.docno for one in events}
    return SessionTopic(*topic, relevant, opened, tuple(rest), len(refused & met))


def checked_session_run(checker: RunChecker, session: SearchSession, tag: str) -> RunUpload:
    """The run as a file that was checked as any other; raises WorkbenchError for a tag that cannot be one."""
    run = session.run(tag, most=checker.rules.max_per_topic)
    content = io.BytesIO(b"".join(write_run(run)))
    (upload,) = check_files(checker, [(f"{tag}.txt", content)])
    return upload


def _distinct(docnos: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(docnos))


def _shown(db: Session, campaign_id: int, account_id: int) -> dict[str, list[Sequence[str]]]:
    """By topic, what each search has shown, in the order of searching."""
    rows = db.execute(
        select(SearchRow.topic, SearchRow.docnos, func.max(SearchEventRow.rank))
        .join(SearchEventRow, SearchEventRow.search_id == SearchRow.id)
        .where(
            SearchRow.campaign_id == campaign_id,
            SearchRow.account_id == account_id,
            SearchEventRow.happening == str(SearchHappening.SHOWN),
        )
        .group_by(SearchRow.id)
        .order_by(SearchRow.id)
    )
    found: dict[str, list[Sequence[str]]] = {}
    for topic, docnos, rank in rows:
        found.setdefault(topic, []).append(docnos[:rank])
    return found


def _events(db: Session, campaign_id: int, account_id: int) -> dict[str, list[SessionEvent]]:
    rows = db.execute(
        select(SearchRow.topic, SearchEventRow.docno, SearchEventRow.happening)
        .join(SearchRow, SearchRow.id == SearchEventRow.search_id)
        .where(
            SearchRow.campaign_id == campaign_id,
            SearchRow.account_id == account_id,
            SearchEventRow.docno.is_not(None),
        )
        .order_by(SearchEventRow.id)
    )
    found: dict[str, list[SessionEvent]] = {}
    for topic, docno, happening in rows:
        found.setdefault(topic, []).append(SessionEvent(docno or "", SearchHappening(happening)))
    return found


def _verdicts(db: Session, campaign_id: int, account_id: int) -> dict[str, dict[str, bool]]:
    """By topic, whether a person's current grade of a document is relevant; without a grade it is missing."""
    event = JudgmentEventRow
    latest = (
        select(func.max(event.id))
        .join(AssessorRow, AssessorRow.id == event.assessor_id)
        .where(
            event.campaign_id == campaign_id,
            AssessorRow.account_id == account_id,
            event.purpose.in_(CURRENT_PURPOSES),
        )
        .group_by(event.topic, event.docno)
    )
    least = scale_from_json(db.get_one(CampaignRow, campaign_id).scale).relevant_from
    found: dict[str, dict[str, bool]] = {}
    rows = db.execute(
        select(event.topic, event.docno, event.grade).where(
            event.id.in_(latest), event.answer == str(Answer.GRADE)
        )
    )
    for topic, docno, grade in rows:
        found.setdefault(topic, {})[docno] = grade is not None and grade >= least
    return found
