"""Estimates from the sample of a campaign's pool, where its design allows them, and else the reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
import pytrec_eval
from sqlalchemy.orm import Session

from tests.builders import ALPHA, BETA, campaign_with_people, pooled_campaign, send_runs
from workbench.consensus.rules import rule_choice
from workbench.errors import WorkbenchError
from workbench.pooling.strategies import PoolRecipe
from workbench.records import Judgment
from workbench.storage.engine import Database
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.pools.making import make_pool
from workbench.workflow.pools.samples import sample_design
from workbench.workflow.trust.questions import campaign_holes, campaign_sample

ANY = rule_choice("any")
# What alpha and beta have to depth 4.
CANDIDATES = {"T1": {"d1", "d2", "d#3", "d6", "d/4"}, "T2": {"d/4", "d1", "é5", "d2"}}
RELEVANT = {"d1", "d/4"}


def drawn_campaign(db: Session, **recipe: Any) -> int:
    made = campaign_with_people(db)
    send_runs(db, made.campaign.id, alpha=ALPHA, beta=BETA)
    make_pool(db, made.campaign.id, PoolRecipe(**recipe))
    return made.campaign.id


def judge_the_sample(db: Session, campaign: int, relevant: set[str]) -> Mapping[tuple[str, str], int]:
    grades = {pair: int(pair[1] in relevant) for pair in sample_design(db, campaign).drawn}
    import_judgments(
        db, campaign, [Judgment("X", *pair, grade) for pair, grade in grades.items()], source="f"
    )
    return grades


def test_a_random_pool_gives_the_infap_of_trec_eval(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        campaign = drawn_campaign(db, strategy="random", parameters={"depth": 4, "budget": 3, "seed": 1})
        grades = judge_the_sample(db, campaign, RELEVANT)
        sample = campaign_sample(db, campaign, choice=ANY)
        found = campaign_holes(db, campaign, choice=ANY, measure="AP")
    assert (sample.drawn, sample.graded, sample.all_topics, sample.uniform) == (6, 6, 2, True)
    # What could have been drawn and was not has grade -1 for trec_eval.
    qrels = {
        topic: {docno: grades.get((topic, docno), -1) for docno in docnos}
        for topic, docnos in CANDIDATES.items()
    }
    known = [topic for topic, docnos in qrels.items() if max(docnos.values()) > 0]
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"infAP"})
    for run, ranked in zip(found.runs, (ALPHA, BETA), strict=True):
        scores = {
            topic: {docno: -float(at) for at, docno in enumerate(docnos)} for topic, docnos in ranked.items()
        }
        expected = [evaluator.evaluate(scores)[topic]["infAP"] for topic in known]
        assert run.estimates["infAP"].topics == len(known)
        assert run.estimates["infAP"].mean == pytest.approx(sum(expected) / len(known), abs=1e-9)


def test_strata_with_rates_of_their_own_give_xinfap_alone(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        campaign = drawn_campaign(db, strategy="stratified", parameters={"strata": "1:1:1 2:4:0.5"})
        judge_the_sample(db, campaign, RELEVANT)
        sample = campaign_sample(db, campaign, choice=ANY)
        found = campaign_holes(db, campaign, choice=ANY, measure="AP")
    assert not sample.uniform
    assert set(found.runs[0].estimates) == {"xinfAP", "infNDCG"}


def test_a_sample_judged_in_part_counts_topics_with_a_grade_in_each_stratum(
    sqlite_database: Database,
) -> None:
    with sqlite_database.writing() as db:
        campaign = drawn_campaign(db, strategy="stratified", parameters={"strata": "1:1:1 2:4:0.5"})
        first = [pair for pair in sample_design(db, campaign).drawn if pair[0] == "T1"]
        import_judgments(db, campaign, [Judgment("X", *pair, 1) for pair in first], source="f")
        import_judgments(db, campaign, [Judgment("X", "T2", "d/4", 1)], source="g")
        sample = campaign_sample(db, campaign, choice=ANY)
        found = campaign_holes(db, campaign, choice=ANY, measure="AP")
    # Of T2 only the stratum of rank 1 has a grade.
    assert sample.topics == {"T1"}
    assert found.runs[0].estimates["xinfAP"].topics == 1


def test_what_no_design_allows_is_refused_with_the_reason(sqlite_database: Database) -> None:
    random = PoolRecipe("random", {"depth": 4, "budget": 2})
    with sqlite_database.writing() as db:
        made, _ = pooled_campaign(db)
        campaign = made.campaign.id
        import_judgments(db, campaign, [Judgment("X", "T1", "d1", 1)], source="f")
        with pytest.raises(WorkbenchError, match="no opened pool was drawn"):
            campaign_sample(db, campaign, choice=ANY)
        assert campaign_holes(db, campaign, choice=ANY, measure="AP").runs[0].estimates == {}
        make_pool(db, campaign, replace(random, supplementary=True))
        with pytest.raises(WorkbenchError, match="leaves out"):
            campaign_sample(db, campaign, choice=ANY)
        make_pool(db, campaign, random)
        with pytest.raises(WorkbenchError, match="2 pools"):
            campaign_sample(db, campaign, choice=ANY)


def test_nothing_judged_or_nothing_relevant_gives_no_estimate_yet(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        campaign = drawn_campaign(db, strategy="random", parameters={"depth": 4, "budget": 2})
        drawn = set(sample_design(db, campaign).drawn)
        (topic, docno) = next(
            (topic, docno)
            for topic in CANDIDATES
            for docno in CANDIDATES[topic]
            if (topic, docno) not in drawn
        )
        import_judgments(db, campaign, [Judgment("X", topic, docno, 1)], source="f")
        with pytest.raises(WorkbenchError, match="each stratum"):
            campaign_sample(db, campaign, choice=ANY)
        judge_the_sample(db, campaign, set())
        with pytest.raises(WorkbenchError, match="no relevant document"):
            campaign_sample(db, campaign, choice=ANY)
