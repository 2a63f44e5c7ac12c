"""How long an organiser's work holds SQLite's write lock at a time, for which everybody who saves waits.

`python -m tests.benchmarks.locks FILE` does each piece of work on a copy of a campaign that `python -m
tests.benchmarks.scale build FILE --size M` made. It tells how many writing transactions there were, and in
milliseconds the longest, their median and their sum, from the begin of each to the end of its commit, and the
longest by the processor's time, which a busy machine does not lengthen. Meanwhile another process begins a
writing transaction every 20 ms, as somebody who saves does: the 99th percentile and the longest of its waits.
Work with a transaction over 100 ms is marked. `--only NAME` does one of them; `--judgments` says how many are
imported, `--at-once` that they are in one transaction.

Everything is done in this process, whose transactions are watched, also what a server has done in another.
Nobody waits for `workbench restore`: it fills an empty database, which no server opens before it is complete.
A migration is one transaction, which a server makes before it answers. All servers are stopped before an
upgrade; one that is not answers what is saved meanwhile with 503 after a quarter of a minute.
"""

from __future__ import annotations

import argparse
import io
import multiprocessing
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from typing import Any

from sqlalchemy import event, select
from sqlalchemy.engine import Connection

from tests.benchmarks.large_campaign import ORGANISER, SLUG, docno_of, topic_of
from workbench.consensus.rule_choice import RuleChoice
from workbench.formats.graded_pairs import GradedPair
from workbench.pooling.strategies import PoolRecipe
from workbench.records import Document, Judgment, Topic
from workbench.releases.check import check_release
from workbench.releases.contents import Included
from workbench.storage.engine import Database
from workbench.storage.migrate import migrate
from workbench.storage.results import store_results
from workbench.storage.tables import AccountRow, AssessorRow, CampaignRow, PoolEntryRow, PoolRow
from workbench.workflow.adjudication.decision_files import import_decisions
from workbench.workflow.campaigns.archive import archive_campaign, restore_campaign
from workbench.workflow.campaigns.collection import load_topics
from workbench.workflow.campaigns.deletion import delete_campaign
from workbench.workflow.campaigns.loading import load_in_portions
from workbench.workflow.judging.distribution import Distribution, distribute_in_portions, in_turn
from workbench.workflow.judging.importing import GivenJudgments, import_judgments
from workbench.workflow.judging.large_imports import import_in_portions
from workbench.workflow.judging.queues import give_queue, make_queue
from workbench.workflow.people.accounts import account_by_login
from workbench.workflow.people.assessors import assessors_of
from workbench.workflow.pools.making import NewPool
from workbench.workflow.pools.portions import make_in_portions, open_in_portions, rebuild_in_portions
from workbench.workflow.releases.collecting import ReleaseRequest
from workbench.workflow.releases.importing import import_release
from workbench.workflow.releases.making import make_release
from workbench.workflow.releases.releases import release_parts
from workbench.workflow.runs.packed_store import pack_runs_one_by_one
from workbench.workflow.runs.run_checks import check_files, run_checker
from workbench.workflow.runs.store import store_in_turn
from workbench.workflow.upkeep.erasure import erase_person

LONG = 100.0
"""Milliseconds."""
EVERY = 0.02
"""Seconds."""
DOCUMENTS, DOCUMENT_BYTES = 20_000, 3_000
RUNS, LINES = 10, 1_000
DECISIONS = 5_000
RESULTS, RESULT_BYTES = 500, 2**17


@dataclass(slots=True)
class Watch:
    """The writing transactions of an engine: milliseconds by the clock, and of the processor."""

    held: list[tuple[float, float]] = field(default_factory=list)
    begun: dict[int, tuple[float, float]] = field(default_factory=dict)

    def attach(self, database: Database) -> None:
        """Watch a database from now on."""
        engine, dialect = database.engine, database.engine.dialect
        event.listen(engine, "begin", self._begin)
        for name in ("do_commit", "do_rollback"):
            setattr(dialect, name, self._ended(getattr(dialect, name)))

    def _begin(self, connection: Connection) -> None:
        if connection.get_execution_options().get("begin") == "IMMEDIATE":
            self.begun[id(connection.connection.dbapi_connection)] = _moment()

    def _ended(self, end: Callable[[Any], None]) -> Callable[[Any], None]:
        def watched(connection: Any) -> None:
            end(connection)
            driver = getattr(connection, "dbapi_connection", connection)
            begun = self.begun.pop(id(driver), None)
            if begun is not None:
                clock, processor = _moment()
                self.held.append((1000 * (clock - begun[0]), 1000 * (processor - begun[1])))

        return watched


def _moment() -> tuple[float, float]:
    return time.perf_counter(), time.thread_time()


def _save(url: str, answer: Pipe) -> None:
    """Wait for SQLite's lock again and again until something is sent; then send how long, in milliseconds."""
    waits: list[float] = []
    with closing(Database(url)) as database:
        answer.send(waits)  # it has started
        while not answer.poll(EVERY):
            begun = time.perf_counter()
            with database.writing() as db:
                db.connection()
                waits.append(1000 * (time.perf_counter() - begun))
    answer.send(waits)


@contextmanager
def _others_saving(url: str) -> Iterator[list[float]]:
    """How long a process waited that saved meanwhile, each time; complete at the end."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_save, args=(url, theirs))
    process.start()
    waits: list[float] = ours.recv()
    try:
        yield waits
    finally:
        ours.send(None)
        waits += ours.recv()
        process.join()


@dataclass(frozen=True, slots=True)
class Site:
    """A campaign of the benchmark, its number and that of its organiser, and a folder for further files."""

    database: Database
    campaign: int
    organiser: int
    folder: Path
    judgments: int
    at_once: bool

    def pool(self) -> PoolRow:
        """Its first pool."""
        with self.database.reading() as db:
            return db.scalars(select(PoolRow).order_by(PoolRow.id).limit(1)).one()


def import_of_judgments(site: Site) -> None:
    """A file of one assessor."""
    per_topic = site.judgments // 50
    given = [
        Judgment("imported", topic_of(number % 50), docno_of(number // 50), number % 4)
        for number in range(50 * per_topic)
    ]
    if site.at_once:
        with site.database.writing() as db:
            import_judgments(db, site.campaign, given, source="judgments.tsv")
    else:
        import_in_portions(site.database, site.campaign, [GivenJudgments(given, "judgments.tsv")])


def documents(site: Site) -> None:
    """New documents of some kilobytes."""
    text = "the harbour at high water " * (DOCUMENT_BYTES // 26)
    new = (Document(f"new-{number:06}", f"Document {number}", text) for number in range(DOCUMENTS))
    load_in_portions(site.database, site.campaign, [("new", new)])


def topics(site: Site) -> None:
    """Five hundred new topics."""
    new = [Topic(f"new-{number}", "subject", "What?", "This. " * 100) for number in range(500)]
    with site.database.writing() as db:
        load_topics(db, site.campaign, new, source="topics")


def runs(site: Site) -> None:
    """Files of 50 topics, checked, stored and packed."""
    files = [(f"sent-{one}", io.BytesIO(_run(f"sent-{one}", one))) for one in range(RUNS)]
    with site.database.reading() as db:
        checker = run_checker(db, site.campaign, opening=site.database.reading)
    checked = list(check_files(checker, files))
    stored = store_in_turn(site.database, site.campaign, checked)
    if stored.refused:
        raise SystemExit(f"refused: {stored.refused[0].errors[:3]}")
    pack_runs_one_by_one(site.database, site.campaign)


def _run(tag: str, first: int) -> bytes:
    lines = (
        f"{topic_of(topic)} Q0 {docno_of(rank + first)} {rank} {LINES - rank} {tag}\n"
        for topic in range(50)
        for rank in range(LINES)
    )
    return "".join(lines).encode()


def a_pool(site: Site) -> None:
    """A depth pool of all runs."""
    recipe = PoolRecipe(parameters={"depth": 20})
    make_in_portions(site.database, NewPool(site.campaign, recipe, "made"))


def a_rebuilt_draft(site: Site) -> None:
    """A draft of all runs, made, rebuilt and opened."""
    new = NewPool(site.campaign, PoolRecipe(parameters={"depth": 20}), "draft", draft=True)
    make_in_portions(site.database, new)
    rebuild_in_portions(site.database, site.campaign, "draft")
    open_in_portions(site.database, site.campaign, "draft")


def decisions(site: Site) -> None:
    """Decisions of adjudication from a file."""
    with site.database.reading() as db:
        pairs = db.execute(select(PoolEntryRow.topic, PoolEntryRow.docno).limit(20 * DECISIONS)).all()
    chosen = [GradedPair(topic, docno, 1, "", 2) for topic, docno in pairs[::20]]
    import_decisions(site.database, site.campaign, [("decisions.tsv", chosen)])


def assignments(site: Site) -> None:
    """Every topic of the pool given to three people."""
    pool_id = site.pool().id
    with site.database.reading() as db:
        given = in_turn(db, pool_id, [line.id for line in assessors_of(db, site.campaign)], 3)
    distribute_in_portions(site.database, Distribution(pool_id, given))


def a_queue(site: Site) -> None:
    """The pool made a queue, and given to everybody."""
    name = site.pool().name
    with site.database.writing() as db:
        make_queue(db, site.campaign, name, 2)
    with site.database.reading() as db:
        people = [line.id for line in assessors_of(db, site.campaign)]
    give_queue(site.database, site.campaign, name, people)


def a_release(site: Site) -> None:
    """Everything frozen into a release."""
    request = ReleaseRequest("1.0", RuleChoice("majority", machines=False))
    make_release(site.database, site.campaign, request, made_by=site.organiser)


def an_imported_release(site: Site) -> None:
    """A release with everything in it, made a campaign in an empty instance, whose lock counts."""
    included = frozenset(Included)
    request = ReleaseRequest("1.0", RuleChoice("majority", machines=False), included)
    made = make_release(site.database, site.campaign, request, made_by=site.organiser)
    file = site.folder / "release.zip"
    with site.database.reading() as db, file.open("wb") as stream:
        stream.writelines(release_parts(db, made.release))
    checked = check_release(file.open("rb"), source=file.name)
    if checked.contents is None:
        raise SystemExit(f"refused: {checked.findings[:3]}")
    with _instance_beside(site, "release imported") as there:
        import_release(there, checked.contents, sha256=checked.sha256)


def archiving(site: Site) -> None:
    """The campaign archived and restored."""
    for change in (archive_campaign, restore_campaign):
        with site.database.writing() as db:
            change(db, site.campaign)


@contextmanager
def _instance_beside(site: Site, name: str) -> Iterator[Database]:
    """An empty instance that is watched, and in which others save meanwhile."""
    with closing(Database(f"sqlite:///{site.folder / 'there.sqlite3'}")) as there:
        migrate(there)
        watch = Watch()
        watch.attach(there)
        with _others_saving(there.url) as waits:
            yield there
        print(f"{name:26} {_told(watch.held)} {_waited(waits)}", flush=True)


def deletion(site: Site) -> None:
    """The campaign deleted."""
    with site.database.reading() as db:
        name = db.get_one(CampaignRow, site.campaign).name
    delete_campaign(site.database, site.campaign, typed_name=name)


def erasure(site: Site) -> None:
    """The personal data of an assessor, with many kept results, while somebody reads an older state."""
    with closing(Database(site.database.url)) as other:
        for number in range(RESULTS):
            with other.writing(synced=False) as db:
                store_results(db, site.campaign, {f"{number:064}": os.urandom(RESULT_BYTES)})
        with site.database.reading() as db:
            person = db.scalars(
                select(AccountRow).join(AssessorRow, AssessorRow.account_id == AccountRow.id).limit(1)
            ).one()
        with other.reading() as db:
            db.execute(select(CampaignRow.id)).all()
            erase_person(site.database, person.id, typed_login=person.login)


WORK: dict[str, Callable[[Site], None]] = {
    "import of judgments": import_of_judgments,
    "documents": documents,
    "topics": topics,
    "runs": runs,
    "pool": a_pool,
    "draft rebuilt and opened": a_rebuilt_draft,
    "decisions": decisions,
    "assignments": assignments,
    "queue": a_queue,
    "release": a_release,
    "release imported": an_imported_release,
    "archived and restored": archiving,
    "erasure": erasure,
    "deletion": deletion,
}


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--only", nargs="*", metavar="NAME", choices=tuple(WORK), default=tuple(WORK))
    parser.add_argument("--judgments", type=int, default=95_800)
    parser.add_argument("--at-once", action="store_true")
    given = parser.parse_args()
    print(
        f"{'work':26} {'transactions':>12} {'longest':>10} {'median':>9} {'sum':>9} {'processor':>9} "
        f"{'wait p99':>9} {'longest':>9}  ms"
    )
    for name in given.only:
        # Beside the file, since it is the disk that commits wait for.
        with tempfile.TemporaryDirectory(prefix="locks-", dir=given.file.parent) as folder:
            copy = Path(shutil.copy(given.file, folder))
            # Or the first commit would wait for the whole copy to reach the disk.
            os.sync()
            with closing(Database(f"sqlite:///{copy}")) as database:
                _measure(name, database, Path(folder), given)


def _measure(name: str, database: Database, folder: Path, given: argparse.Namespace) -> None:
    migrate(database)
    with database.reading() as db:
        campaign = db.scalars(select(CampaignRow.id).where(CampaignRow.slug == SLUG)).one()
        organiser = account_by_login(db, ORGANISER).id
    watch = Watch()
    watch.attach(database)
    site = Site(database, campaign, organiser, folder, given.judgments, given.at_once)
    begun = time.monotonic()
    with _others_saving(database.url) as waits:
        WORK[name](site)
    print(f"{name:26} {_told(watch.held)} {_waited(waits)}  in {time.monotonic() - begun:.1f} s", flush=True)


def _waited(waits: list[float]) -> str:
    # Work that is done in some milliseconds may have made nobody wait.
    waits.sort()
    return f"{waits[int(0.99 * len(waits))]:9.1f} {waits[-1]:9.1f}" if waits else f"{'-':>9} {'-':>9}"


def _told(held: list[tuple[float, float]]) -> str:
    clock, processor = [one for one, _ in held], [one for _, one in held]
    figures = max(clock), statistics.median(clock), sum(clock), max(processor)
    mark = ">" if figures[0] > LONG else " "
    return f"{len(held):12} {mark}{' '.join(f'{one:9.1f}' for one in figures)}"


if __name__ == "__main__":
    main()
