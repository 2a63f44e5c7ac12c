"""A small crowd on a real server: nothing is lost or refused while an organiser scores; nothing is timed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.benchmarks.assessors import figures
from tests.benchmarks.crowd import ORGANISER_ASKS, BareInsert, Material, crowd_judges, differences, make_trial
from tests.builders import run_text
from tests.servers import running_server
from tests.tree import ROOT
from workbench.records import Document, Judgment, Topic
from workbench.storage.engine import Database
from workbench.storage.migrate import migrate

TOPICS = [f"T{number}" for number in range(1, 7)]
DOCNOS = [f"d#{number}" for number in range(30)]
MATERIAL = Material(
    topics=[Topic(topic, "tides") for topic in TOPICS],
    documents=[Document(docno, f"About {docno}", f"Text of {docno}.") for docno in DOCNOS],
    runs=[("alpha.txt", run_text("alpha", dict.fromkeys(TOPICS, DOCNOS)))],
    # By two, so that there is agreement to report from the start.
    judgments=[Judgment("Elsewhere", "T1", "d#1", 1), Judgment("Nowhere", "T1", "d#1", 1)],
)


@pytest.mark.slow
def test_the_events_of_a_crowd_are_stored_once_and_in_order_while_an_organiser_scores(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'workbench.sqlite3'}")
    migrate(database)
    trial = make_trial(database, MATERIAL, assessors=6, depth=30)
    assert trial.pairs == 6 * 30
    bare = BareInsert(database)
    command = [sys.executable, "-m", "workbench", "serve", "--port", "0", "--instance", str(tmp_path)]
    with running_server(command, log=tmp_path / "log", folder=ROOT) as address:
        seen = crowd_judges(address, trial, seconds=300, pause=0, most=5, bare=bare.act)
    assert seen.wrong == []
    assert [len(said) for said in seen.sent.values()] == [5] * 6
    assert set(seen.organising) == set(ORGANISER_ASKS)
    assert differences(database, seen) == []
    # It would notice: an answer that was never sent, and two in another order.
    seen.sent["Assessor 01"].reverse()
    seen.sent["Assessor 02"].append(("nobody", "T1", "d#1", 1))
    assert [line.split(":")[0] for line in differences(database, seen)] == ["Assessor 01", "Assessor 02"]
    bare.close()
    database.close()


def test_figures_are_the_nearest_ranks_in_milliseconds() -> None:
    # Of 1 to 100 ms the places 50, 95 and 99 (from 0) hold 51, 96 and 100.
    found = figures([number / 1000 for number in range(1, 101)])
    assert (found.median, found.p95, found.p99, found.most, found.count) == (51, 96, 100, 100, 100)
