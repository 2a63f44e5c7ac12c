"""Two million documents in a campaign: loading them by the real command, and the pages that find them.

`python -m tests.benchmarks.documents make FILE` writes JSON lines, gzip, of `--documents` short passages from
one seed. `measure FILE FOLDER` loads FILE by `workbench campaign documents` into a new SQLite database in
FOLDER, or with `--postgresql` into a server of its own, with a pool of 14,000 pairs. It says the processor's
seconds, the most memory and the size of the database; then of pages in one process, first and later, the
processor's seconds and those by the clock, which alone has PostgreSQL's. Where FOLDER has a database, only
its pages are measured.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sqlalchemy import text

from tests.databases import opened
from tests.postgresql import postgresql_server
from workbench.settings import read_settings
from workbench.storage.engine import Database
from workbench.web.app import create_app
from workbench.workflow.people.accounts import account_by_login
from workbench.workflow.people.signing_in import open_session

SEED = 15
DOCUMENTS = 2_000_000
TOPICS, DEPTH = range(401, 451), 280
SLUG, ORGANISER, SECRET = "large", "olga", "a harbour at high water"
SYLLABLES = ("ka", "lo", "mi", "ter", "ves", "an", "do", "ri", "sel", "no", "ba", "tin", "gra", "ho", "pe")
WORDS, STREAM = 8_000, 1_000_000
PAGES = {
    "documents": "documents",
    "after a docno": "documents?after=doc-1000000",
    "one docno": "documents?search=doc-1000007",
    "beginning": "documents?search=doc-10",
    "no such docno": "documents?search=zzz",
    "within all": "documents?search=00007&within=1",
    "one document": "documents/document?docno=doc-0000007",
    "missing texts": "documents/without-text.txt",
    "overview": "",
}
AGAIN = 3


def main() -> None:
    """Make or measure, as the command line says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("make", "measure"))
    parser.add_argument("file", type=Path)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    parser.add_argument("--postgresql", action="store_true", help="load into a server of its own")
    given = parser.parse_args()
    if given.what == "make":
        _make(given.file, given.documents)
    elif given.postgresql:
        with postgresql_server() as url, tempfile.TemporaryDirectory() as folder:
            _load(url, given.file, Path(folder), given.documents)
            _pages(url)
    elif given.folder is None:
        parser.error("name a folder for the database")
    else:
        database = given.folder.resolve() / "workbench.sqlite3"
        if not database.exists():
            _load(f"sqlite:///{database}", given.file, given.folder, given.documents)
        _pages(f"sqlite:///{database}")


def _make(file: Path, documents: int) -> None:
    drawn = random.Random(SEED)
    words = ["".join(drawn.choices(SYLLABLES, k=drawn.randint(1, 4))) for _ in range(WORDS)]
    # As in a language, the word of a rank is about as frequent as its inverse.
    weights = list(itertools.accumulate(1 / (rank + 5) for rank in range(WORDS)))
    stream = drawn.choices(words, cum_weights=weights, k=STREAM)
    with gzip.open(file, "wt", compresslevel=1) as out:
        for number in range(documents):
            at, length = drawn.randrange(STREAM - 100), drawn.randint(30, 90)
            title, body = " ".join(stream[at : at + 6]), " ".join(stream[at + 6 : at + length])
            out.write(json.dumps({"docno": f"doc-{number:07d}", "title": title, "text": body}) + "\n")


def _load(url: str, file: Path, folder: Path, documents: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    topics, run = folder / "topics.tsv", folder / "one.run"
    topics.write_text("".join(f"{topic}\tsubject {topic}\n" for topic in TOPICS))
    drawn = random.Random(SEED)
    run.write_text(
        "".join(
            f"{topic} Q0 doc-{number:07d} {rank} {DEPTH - rank} one\n"
            for topic in TOPICS
            # Some are in no file.
            for rank, number in enumerate(drawn.sample(range(documents + documents // 1000), DEPTH), 1)
        )
    )
    _command(url, "init", "--login", ORGANISER, "--password", SECRET)
    _command(url, "campaign", "new", "Large", "--scale", "four-grades", "--organiser", ORGANISER)
    _command(url, "campaign", "topics", SLUG, str(topics))
    _command(url, "campaign", "runs", SLUG, str(run))
    _command(url, "campaign", "pool", SLUG, "--depth", str(DEPTH))
    begun, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    _command(url, "campaign", "documents", SLUG, str(file))
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    print(f"loaded: {processor:.0f} s of processor, {time.monotonic() - begun:.0f} s by the clock")
    print(f"most memory of a command: {used.ru_maxrss / 1024:.0f} MiB")
    with opened(url) as database, database.reading() as db:
        asked = "select page_count * page_size from pragma_page_count, pragma_page_size"
        asked = asked if database.embedded else "select pg_database_size(current_database())"
        print(f"size: {db.scalars(text(asked)).one() / 2**20:.0f} MiB")


def _command(url: str, *words: str) -> None:
    command = [sys.executable, "-m", "workbench", *words]
    environment = {**os.environ, "WORKBENCH_DATABASE_URL": url}
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)


def _pages(url: str) -> None:
    with opened(url) as database, tempfile.TemporaryDirectory() as folder:
        app = create_app(read_settings({}, instance=Path(folder)), database)
        client = app.test_client()
        client.set_cookie("workbench", _token(database))
        print(f"{'page':16}{'first':>16}{'later':>16}  status")
        for name, path in PAGES.items():
            seconds = []
            for _ in range(1 + AGAIN):
                begun, clock = time.process_time(), time.perf_counter()
                answer = client.get(f"/c/{SLUG}/{path}")
                seconds.append((time.process_time() - begun, time.perf_counter() - clock))
            first, later = seconds[0], sorted(seconds[1:])[AGAIN // 2]
            print(f"{name:16}" + "".join(f"{one:8.3f}" for one in (*first, *later)), answer.status_code)


def _token(database: Database) -> str:
    with database.writing() as db:
        return open_session(db, account_by_login(db, ORGANISER)).token


if __name__ == "__main__":
    main()
