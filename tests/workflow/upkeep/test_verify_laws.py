"""Verification finds nothing in a campaign that was made through the program, whatever its options."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.builders import campaign_with_people, send_runs
from tests.databases import opened_copy
from tests.workflow.releases.filled import filled_release
from workbench.formats.run_rules import RuleSet, RunRules
from workbench.pooling.strategies import PoolRecipe
from workbench.records import Document, Judgment
from workbench.workflow.campaigns.collection import load_documents
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.judging.queues import make_queue
from workbench.workflow.pools.making import make_pool
from workbench.workflow.runs.run_rules import keep_rules
from workbench.workflow.upkeep.checks import verify

RECIPES: Mapping[str, PoolRecipe] = {
    "depth": PoolRecipe(parameters={"depth": 3}),
    "sample": PoolRecipe("random", {"depth": 4, "budget": 2, "seed": 5}),
}


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    length=st.sampled_from([2, 128, 129, 512]),
    unknown_topic=st.booleans(),
    recipe=st.sampled_from(sorted(RECIPES)),
    draft=st.booleans(),
    queue=st.booleans(),
    judged=st.booleans(),
)
def test_what_the_program_makes_is_sound(
    migrated_sqlite: Path,
    length: int,
    unknown_topic: bool,
    recipe: str,
    draft: bool,
    queue: bool,
    judged: bool,
) -> None:
    docno = "y" * length
    with TemporaryDirectory() as folder, opened_copy(migrated_sqlite, Path(folder)) as database:
        with database.writing() as db:
            number = campaign_with_people(db).campaign.id
            load_documents(db, number, [Document(docno, "Long", "A long docno.")], source="more")
            if unknown_topic:
                keep_rules(db, number, RunRules(rule_set=RuleSet.LENIENT))
            further = {"T9": ("d1", docno)} if unknown_topic else {}
            send_runs(db, number, alpha={"T1": (docno, "d1"), **further}, beta={"T2": ("d2", docno)})
            make_pool(db, number, RECIPES[recipe], name="pool", draft=draft)
            if queue and not draft:
                make_queue(db, number, "pool", 2)
            if judged:
                given = [Judgment(who, "T1", docno, grade) for who, grade in (("Cara", 1), ("Dov", 1))]
                import_judgments(db, number, given, source="judgments")
        if judged and not draft:
            filled_release(database, number)
        assert verify(database).findings == ()
