"""The ranking of runs under each rule, by hand; and that no score is computed twice."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest
from sqlalchemy.orm import Session

from tests.builders import BETA, campaign_with_people, send_runs
from tests.workflow.differing_assessors import choices, judged_campaign
from workbench.consensus.rule_choice import RuleChoice, choices_of, rule_choice
from workbench.errors import WorkbenchError
from workbench.records import FOUR_GRADES, Answer, Judgment, Topic
from workbench.storage.engine import Database
from workbench.workflow import last_results
from workbench.workflow.caching import Cache
from workbench.workflow.campaigns.collection import load_topics
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.last_results import LastResults
from workbench.workflow.qrels import rule_preview
from workbench.workflow.qrels.rule_preview import preview_rules
from workbench.workflow.runs import kept_rankings
from workbench.workflow.runs.kept_rankings import RecentRankings
from workbench.workflow.runs.packed_store import rankings_of
from workbench.workflow.scores import rule_ranking, rule_scores
from workbench.workflow.scores.rule_ranking import NO_QRELS, PREVIEW_EXPORTS, preview_ranking

TOPICS = tuple(f"t{number}" for number in range(5))
RULES = ("any", "all", "majority", "sum", "dawid-skene")


def test_the_ranking_of_the_runs_is_compared_between_rules(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    # One run after the other.
    monkeypatch.setattr(rule_scores, "AT_ONCE", 1)
    forget(monkeypatch)
    with database.writing() as db:
        campaign = judged_campaign(db)
        seen: list[tuple[int, int]] = []
        found = preview_ranking(
            db,
            campaign,
            choices("any", "all", "two-and-adjudicator", "mean"),
            progress=lambda done, total: seen.append((done, total)),
        )
    # alpha has d1, d2 first in T1 and d/4 in T2; beta d2, d/4, d1, and d/4. Under `any` alpha's AP is 1 and
    # beta's (5/6 + 1) / 2; under `all` only d2 is relevant, T2 counts as 0: 1/4 against 1/2.
    assert found.scores["any"] == {"alpha": pytest.approx(1), "beta": pytest.approx(11 / 12)}
    assert found.scores["all"] == {"alpha": pytest.approx(1 / 4), "beta": pytest.approx(1 / 2)}
    first = found.comparisons[0]
    assert (first.first, first.second, first.tau.value) == ("any", "all", -1)
    assert [(one.ahead, one.behind) for one in first.swaps] == [("alpha", "beta")]
    assert found.of("all")["any"] is first
    assert dict(found.left_out)["mean"].startswith('the rule "mean" gives fractions')
    assert seen == [(1, 2), (2, 2)]


def test_scoring_that_is_out_of_time_goes_on_where_it_stopped(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rule_scores, "AT_ONCE", 1)
    with sqlite_database.writing() as db:
        campaign = judged_campaign(db)
        # A measure of this test alone, since the process remembers what others scored.
        rules = choices("any", "all")
        scored = partial(preview_ranking, db, campaign, rules, measure="P@3", tags=["alpha", "beta"])
        begun = scored(seconds=-1.0)
        # One run under two rules.
        assert (begun.done, begun.total, begun.comparisons) == (2, 4, ())
        whole = scored()
        again = scored(seconds=-1.0)
    assert (whole.done, whole.total) == (again.done, again.total) == (4, 4)
    assert whole.scores == again.scores


@pytest.mark.parametrize("measure", ["AP", "ERR@5"])
def test_a_saved_judgment_has_the_runs_scored_on_its_topic_alone(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch, measure: str
) -> None:
    read: list[tuple[list[str], list[str]]] = []

    def note(db: Session, campaign_id: int, tags: Sequence[str], topics: Collection[str]) -> Any:
        read.append((list(tags), sorted(topics)))
        return rankings_of(db, campaign_id, tags, topics)

    monkeypatch.setattr(rule_scores, "rankings_of", note)
    monkeypatch.setattr(kept_rankings, "rankings_of", note)
    forget(monkeypatch)
    with sqlite_database.writing() as db:
        campaign = judged_campaign(db)
        ranked = partial(preview_ranking, db, campaign, choices("any", "all"), measure=measure)
        ranked()
        import_judgments(db, campaign, [Judgment("X", "T2", "d5", 3)], source="again")
        after = ranked()
        # ERR depends on the highest grade of all topics.
        changed = ["T2"] if measure == "AP" else ["T1", "T2"]
        assert read == [(["alpha", "beta"], ["T1", "T2"]), (["alpha", "beta"], changed)]
        # A run that is added is the only one to be scored.
        read.clear()
        send_runs(db, campaign, gamma=BETA)
        with_another = ranked()
        assert read == [(["gamma"], ["T1", "T2"])]
        forget(monkeypatch)
        anew = ranked()
    assert with_another.scores == anew.scores
    assert all(anew.scores[rule].items() >= scores.items() for rule, scores in after.scores.items())


def test_a_rule_without_lines_is_left_out_of_the_ranking(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        campaign = judged_campaign(db)
        sums = choices_of(["sum", "any"], rule_choice(line="5"))
        found = preview_ranking(db, campaign, sums)
        nobody = choices_of(["one"], rule_choice(), assessors=["Ada"])
        empty = preview_ranking(db, campaign, nobody)
    # No sum reaches 5, so no run finds anything under its own line; under any both do.
    assert found.scores["sum-5"] == {"alpha": 0, "beta": 0}
    assert found.comparisons[0].tau.undefined
    assert (empty.scores, empty.left_out, empty.total) == ({}, (("one-Ada", NO_QRELS),), 0)


def test_a_rule_that_cannot_be_applied_is_tried_once_until_something_is_saved(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[str] = []
    check = rule_preview.Rules._check

    def note(rules: rule_preview.Rules, choice: RuleChoice) -> None:
        tried.append(choice.rule)
        check(rules, choice)

    monkeypatch.setattr(rule_preview, "_SETTLED", Cache(16))
    monkeypatch.setattr(rule_preview.Rules, "_check", note)
    with sqlite_database.writing() as db:
        campaign = judged_campaign(db)
        asked = choices("any", "mean")
        first = preview_ranking(db, campaign, asked)
        # Fractions are no grades of qrels.
        assert [(name, "fractions" in why) for name, why in first.left_out] == [("mean", True)]
        assert preview_ranking(db, campaign, asked) == first
        assert [line.refused for line in preview_rules(db, campaign, asked).rules] == [
            "",
            first.left_out[0][1],
        ]
        assert tried == ["any", "mean"]
        import_judgments(db, campaign, [Judgment("X", "T2", "d5", 3)], source="again")
        preview_ranking(db, campaign, asked)
    assert tried == ["any", "mean"] * 2


def test_a_ranking_needs_two_runs_and_one_measure(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        campaign = judged_campaign(db)
        for said, message in (
            ({"measure": "AP P@5"}, "2 measures are named"),
            ({"measure": "nope"}, "there is no measure"),
            ({"tags": ["alpha"]}, "a ranking needs two runs"),
            ({"tags": ["gamma"]}, "there is no run gamma"),
        ):
            with pytest.raises(WorkbenchError, match=message):
                preview_ranking(db, campaign, choices("any"), **said)


def drawn_run(random: np.random.Generator) -> dict[str, list[str]]:
    return {
        topic: [f"d{number}" for number in random.permutation(6)[: random.integers(1, 6)]]
        for topic in TOPICS
        if random.random() < 0.9
    }


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remember no more than a process that has just started."""
    monkeypatch.setattr(rule_ranking, "_RANKED", Cache(4))
    monkeypatch.setattr(rule_scores, "_COLUMNS", Cache(1000))
    monkeypatch.setattr(rule_scores, "_PAIRS", Cache(1))
    monkeypatch.setattr(kept_rankings, "_RECENT", RecentRankings())


def exported(database: Database, campaign: int, measure: str) -> list[bytes]:
    with database.reading() as db:
        asked = choices(*RULES)
        found, ranked = (
            preview_rules(db, campaign, asked),
            preview_ranking(db, campaign, asked, measure=measure),
        )
    return [make(found, ranked).csv() for make in PREVIEW_EXPORTS.values()]


def scored_by_scorers(database: Database, campaign: int, measure: str) -> list[bytes]:
    """Every run by every rule's own scorer, in a process that knows nothing, and asks nobody."""
    with pytest.MonkeyPatch.context() as patch:
        forget(patch)
        patch.setattr(rule_scores._KEPT, "find", lambda *_: {})
        patch.setattr(rule_scores, "LARGEST_GRADE", -1)
        return exported(database, campaign, measure)


@pytest.mark.parametrize("measure", ["AP", "nDCG@3", "ESL(n=1)", "AP(judged_only=True)", "ERR@5"])
def test_rankings_after_saves_and_runs_are_those_of_scorers(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch, measure: str
) -> None:
    database, random = sqlite_database, np.random.default_rng(7)
    forget(monkeypatch)
    with database.writing() as db:
        campaign = campaign_with_people(db, scale=FOUR_GRADES).campaign.id
        load_topics(db, campaign, [Topic(name, name) for name in TOPICS], source="more")
        send_runs(db, campaign, **{f"run{number}": drawn_run(random) for number in range(4)})
        judged = [
            Judgment(name, topic, f"d{number}", int(random.integers(4)))
            for name in ("X", "Y")
            for topic in TOPICS
            for number in range(4)
        ]
        import_judgments(db, campaign, judged, source="first")
    for number in range(5):
        with database.writing() as db:
            topic = TOPICS[number]
            withdrawn = number == 3
            answer, grade = (Answer.UNSURE, None) if withdrawn else (Answer.GRADE, int(random.integers(4)))
            one = Judgment("X", topic, f"d{random.integers(7)}", grade, answer)
            import_judgments(db, campaign, [one], source=f"save {number}")
            if number == 2:
                send_runs(db, campaign, late=drawn_run(random))
        if number == 4:
            # Another process goes on with what this one kept.
            forget(monkeypatch)
        assert exported(database, campaign, measure) == scored_by_scorers(database, campaign, measure)


def test_a_rule_of_earlier_answers_is_scored_beside_those_of_now(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As if the model took seconds, and for ever.
    for name, value in (("QUICK_SECONDS", -1.0), ("MOST_OLDER", 1e9)):
        monkeypatch.setattr(last_results, name, value)
    monkeypatch.setattr(rule_preview, "_LAST", LastResults(4))
    monkeypatch.setattr(rule_scores._KEPT, "find", lambda *_: {})

    def scores(*rules: str) -> dict[str, dict[str, float]]:
        forget(monkeypatch)
        with sqlite_database.reading() as db:
            found = preview_ranking(db, campaign, choices(*rules), measure="P@2", patient=True)
        return {name: dict(one) for name, one in found.scores.items()}

    with sqlite_database.writing() as db:
        campaign = judged_campaign(db)
        import_judgments(db, campaign, [Judgment("Z", "T1", "d1", 3)], source="third")
    earlier = scores("dawid-skene", "any")
    with sqlite_database.writing() as db:
        # Of a document before all others, and of a topic that had no answer.
        load_topics(db, campaign, [Topic("T0", "T0")], source="more")
        judged = [Judgment("X", topic, "d0", 0) for topic in ("T0", "T1")]
        import_judgments(db, campaign, judged, source="again")
    assert scores("dawid-skene", "any") == {"dawid-skene": earlier["dawid-skene"], **scores("any")}


def test_another_process_reads_no_run_again(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with sqlite_database.writing() as db:
        campaign = judged_campaign(db)
    forget(monkeypatch)
    first = exported(sqlite_database, campaign, "P@2")
    forget(monkeypatch)
    monkeypatch.setattr(rule_scores, "rankings_of", lambda *_: pytest.fail("a run is read again"))
    assert exported(sqlite_database, campaign, "P@2") == first


def test_a_ranking_that_is_known_says_how_it_is_asked_for(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        campaign = judged_campaign(db)
        # Grades are relevant from 2 on, so that all of these are the same.
        for measure in ("AP", "AP(rel=2)", "AP"):
            found = preview_ranking(db, campaign, choices("any", "all"), measure=measure)
            assert (found.measure, found.left_out) == (measure, ())
        without = preview_ranking(db, campaign, choices("any", "all", "mean"))
    assert (without.scores, len(without.left_out)) == (found.scores, 1)
