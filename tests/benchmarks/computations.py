"""What three heavy computations of a campaign cost, in seconds of the processor.

`python -m tests.benchmarks.computations preview` imports the judgments of a real crowd (766 assessors, 96,883
current judgments, 20,232 pairs; `../shared/data/trec-rf10-crowd`, or `--judgments FILE`) into a campaign and
computes what every consensus rule makes of them, models too: each rule alone, then all at once. `agreement`
computes the crowd's agreement report and its parts. `pools` compares two pools of TREC-8's size, of generated
runs, as the page does: first, and again. Without a name all three are measured.

Each figure is the least of several times, each in a new process that has read the judgments and has computed
nothing of them. Whoever else works on the machine lengthens these seconds too, though less than those of a
clock.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

# As the program does: threads for such small matrices only get in each other's way.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from sqlalchemy import insert
from sqlalchemy.orm import Session

from tests.benchmarks.generated_runs import FINDABLE, TOPICS, findable
from tests.databases import opened
from tests.support import SHARED
from workbench.agreement.estimates import coefficients_of, topics_left_out
from workbench.agreement.grades import by_grade
from workbench.agreement.leniency import leniency
from workbench.agreement.options import AgreementOptions
from workbench.agreement.overlap import overlaps
from workbench.agreement.pairwise import assessor_pairs, most_active, pairwise_means
from workbench.agreement.report import agreement_report
from workbench.agreement.report_json import report_data
from workbench.agreement.selection import Selection
from workbench.agreement.thresholds import thresholds
from workbench.consensus.rule_choice import RuleChoice, choice_name, choices_of, default_rules, rule_choice
from workbench.formats.judgments import read_judgments
from workbench.pooling.strategies import PoolRecipe
from workbench.records import BINARY, Grade, Scale, Topic
from workbench.storage.engine import Database
from workbench.storage.migrate import migrate
from workbench.storage.tables import PoolEntryRow, PoolRow
from workbench.workflow.agreement.selection import campaign_ratings
from workbench.workflow.campaigns.campaigns import campaign_by_slug, create_campaign
from workbench.workflow.campaigns.collection import load_topics
from workbench.workflow.judging.current_judgments import current_judgments
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.pools.comparison import compare_pools
from workbench.workflow.pools.making import NewPool, recipe_of
from workbench.workflow.qrels.rule_preview import preview_rules

TIMES = 3
WORK = ("preview", "agreement", "pools")
CROWD = SHARED / "data" / "trec-rf10-crowd" / "judgments.tsv.gz"
BROKEN = -2
LABELS = ("Not relevant", "Relevant", "Highly relevant")
SCALE = Scale(
    tuple(Grade(value, label, str(value), "", value) for value, label in enumerate(LABELS)), relevant_from=1
)
RUNS, DEPTH = 71, 100
OTHERS = 10
"""Runs of the first pool that are not in the second, which has as many others."""
BATCH = 20_000
MADE = datetime(2026, 9, 1, tzinfo=UTC)


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work", nargs="*", metavar="WORK", help=f"of {', '.join(WORK)}")
    parser.add_argument("--judgments", type=Path, default=CROWD, help="topic, doc, assessor and grade as TSV")
    parser.add_argument("--times", type=int, default=TIMES, help="how often each is measured")
    given = parser.parse_args()
    if unknown := set(given.work) - set(WORK):
        parser.error(f"{', '.join(sorted(unknown))} is not among {', '.join(WORK)}")
    asked = given.work or WORK
    # Whichever rule came first would otherwise be charged for it.
    import scipy.sparse  # noqa: F401 - to be loaded

    with tempfile.TemporaryDirectory(prefix="workbench-computations-") as folder:
        url = f"sqlite:///{Path(folder) / 'workbench.sqlite3'}"
        with opened(url) as database:
            migrate(database)
            if "pools" in asked:
                _two_pools(database)
            if "preview" in asked or "agreement" in asked:
                _crowd(database, given.judgments)
        measure = Measure(url, given.times)
        for name, tell in (("preview", _preview), ("agreement", _agreement), ("pools", _pools)):
            if name in asked:
                tell(measure)


class Measure:
    """Tells the processor's seconds of pieces of work on a database."""

    def __init__(self, url: str, times: int) -> None:
        self._url, self._times = url, times

    def __call__(
        self, what: str, work: Callable[[Session, Any], object], before: Callable[[Session], object]
    ) -> None:
        """Print the least seconds of `work`, which is given what `before` made."""
        context = multiprocessing.get_context("fork")
        least = float("inf")
        for _ in range(self._times):
            ours, theirs = context.Pipe(duplex=False)
            process = context.Process(target=self._once, args=(theirs, work, before))
            process.start()
            theirs.close()
            least = min(least, ours.recv())
            process.join()
        print(f"{what:<48}{least:>8.2f} s", flush=True)

    def _once(
        self, channel: Any, work: Callable[[Session, Any], object], before: Callable[[Session], object]
    ) -> None:
        with opened(self._url) as database, database.reading() as db:
            given = before(db)
            begun = time.process_time()
            work(db, given)
            channel.send(time.process_time() - begun)


def _crowd(database: Database, file: Path) -> None:
    with file.open("rb") as stream:
        given = read_judgments(stream, source="crowd", cannot_judge=(BROKEN,))
    topics = [Topic(topic, topic) for topic in dict.fromkeys(one.topic for one in given)]
    with database.writing() as db:
        campaign = create_campaign(db, name="Crowd", slug="crowd", scale=SCALE)
        load_topics(db, campaign.id, topics, source="topics")
        import_judgments(db, campaign.id, given, source="crowd")


def _preview(measure: Measure) -> None:
    rules = [name for name in default_rules(slow=True) if name != "one"]
    choices = choices_of(rules, rule_choice())

    def judgments(db: Session) -> int:
        campaign_id = campaign_by_slug(db, "crowd").id
        current_judgments(db, campaign_id)
        return campaign_id

    def preview(some: tuple[RuleChoice, ...], db: Session, campaign_id: int) -> None:
        found = preview_rules(db, campaign_id, some)
        if any(line.found is None for line in found.rules):
            raise RuntimeError("a rule could not be applied")

    for choice in choices:
        measure(f"preview of {choice_name(choice)} alone", partial(preview, (choice,)), judgments)
    measure(f"preview of all {len(choices)} rules", partial(preview, choices), judgments)


def _agreement(measure: Measure) -> None:
    options = AgreementOptions()

    def selection(db: Session) -> Selection:
        return campaign_ratings(db, campaign_by_slug(db, "crowd").id, options)

    def several(one: Selection) -> object:
        shared = one.ratings.shared()
        return pairwise_means(shared, assessor_pairs(shared, options), options)

    parts: dict[str, Callable[[Selection], object]] = {
        "coefficients of all": lambda one: coefficients_of(one, options),
        "grades": lambda one: by_grade(one.ratings, options, topics_left_out(one.ratings, options)),
        "every two assessors, and their means": several,
        "overlaps": lambda one: overlaps(
            one.ratings.shared(), among=most_active(one.ratings.shared()), level=options.confidence
        ),
        "thresholds": lambda one: thresholds(one.by_grade, options),
        "leniency": lambda one: leniency(one.ratings.shared(), options),
        "the whole report": lambda one: agreement_report(one, options),
        "the whole report as JSON": lambda one: json.dumps(report_data(agreement_report(one, options))),
    }
    for name, part in parts.items():
        measure(f"agreement, {name}", partial(_alone, part), selection)


def _alone(part: Callable[[Selection], object], _: Session, one: Selection) -> object:
    return part(one)


def _two_pools(database: Database) -> None:
    with database.writing() as db:
        campaign_id = create_campaign(db, name="Pools", slug="pools", scale=BINARY).id
        load_topics(db, campaign_id, [Topic(one, f"subject {one}") for one in TOPICS], source="topics")
        pools = []
        for first in (0, OTHERS):
            new = NewPool(campaign_id, PoolRecipe(parameters={"depth": DEPTH}), "depth", True)
            tags = [f"run{number:03}" for number in range(first, first + RUNS)]
            recipe = recipe_of(new) | {
                "runs": [{"tag": tag, "sha256": ""} for tag in tags],
                "largest_possible": dict.fromkeys(TOPICS, RUNS * DEPTH),
                "version": "0",
            }
            row = PoolRow(
                campaign_id=campaign_id, name=f"from {tags[0]}", recipe=recipe, pairs=0,
                largest_possible=RUNS * DEPTH * len(TOPICS), created_at=MADE, opened_at=MADE,
            )  # fmt: skip
            db.add(row)
            db.flush()
            rows = _entries(row.id, range(first, first + RUNS))
            while part := list(islice(rows, BATCH)):
                db.execute(insert(PoolEntryRow), part)
                row.pairs += len(part)
            pools.append(row)
        print(f"two pools of {pools[0].pairs:,} and {pools[1].pairs:,} pairs")


def _entries(pool_id: int, runs: range) -> Iterator[dict[str, Any]]:
    """Depth-100 pairs of runs that see how well documents answer through noise of their own."""
    for topic, (docnos, answers) in zip(TOPICS, findable(), strict=True):
        brought: dict[int, list[tuple[int, str]]] = {}
        for number in runs:
            random = np.random.default_rng((number, int(topic)))
            scores = answers + random.uniform(0.5, 1.8) * random.standard_normal(FINDABLE)
            for rank, place in enumerate(np.argsort(-scores)[:DEPTH].tolist(), 1):
                brought.setdefault(place, []).append((rank, f"run{number:03}"))
        for place, by in brought.items():
            ranked = [[tag, rank] for rank, tag in sorted(by)]
            yield {"pool_id": pool_id, "topic": topic, "docno": docnos[place], "brought_by": ranked} | {
                "best_rank": ranked[0][1], "run_count": len(ranked)
            }  # fmt: skip


def _pools(measure: Measure) -> None:
    def compare(db: Session, _: object) -> object:
        campaign_id = campaign_by_slug(db, "pools").id
        return compare_pools(db, campaign_id, "from run000", f"from run{OTHERS:03}")

    measure("two pools compared, first", compare, lambda _: None)
    measure("two pools compared, again", compare, partial(compare, _=None))


if __name__ == "__main__":
    main()
