"""What each rule would make of a campaign, by hand; and that no score is computed twice."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest
from sqlalchemy.orm import Session

from tests.builders import ALPHA, BETA, campaign_with_people, send_runs
from workbench.consensus.rule_choice import (
    RuleChoice,
    choice_label,
    choice_name,
    choices_of,
    default_rules,
    rule_choice,
)
from workbench.errors import WorkbenchError
from workbench.records import FOUR_GRADES, Judgment
from workbench.storage.engine import Database
from workbench.storage.tables import AdjudicationEventRow
from workbench.workflow.caching import Cache
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.qrels import rule_preview, rule_scores
from workbench.workflow.qrels.rule_preview import NO_QRELS, preview_ranking, preview_rules
from workbench.workflow.runs.packed_store import rankings_of

# Relevant from 2: under `any` d1 and d2 of T1 and d/4 of T2, under `all` d2 alone, and T2 has nothing.
GIVEN = (
    Judgment("X", "T1", "d1", 3),
    Judgment("Y", "T1", "d1", 0),
    Judgment("X", "T1", "d2", 2),
    Judgment("Y", "T1", "d2", 2),
    Judgment("X", "T2", "d/4", 0),
    Judgment("Y", "T2", "d/4", 3),
)


def judged_campaign(db: Session) -> int:
    made = campaign_with_people(db, scale=FOUR_GRADES)
    send_runs(db, made.campaign.id, alpha=ALPHA, beta=BETA)
    import_judgments(db, made.campaign.id, GIVEN, source="f")
    robot = [Judgment("R", "T1", "d6", 3)]
    import_judgments(db, made.campaign.id, robot, source="r", machines=["R"])
    return made.campaign.id


def choices(*rules: str) -> tuple[RuleChoice, ...]:
    return choices_of(rules, rule_choice(), assessors=["X", "Y"])


def test_every_rule_says_what_it_settles_and_leaves(database: Database) -> None:
    with database.writing() as db:
        campaign = judged_campaign(db)
        db.add(
            AdjudicationEventRow(
                campaign_id=campaign, topic="T2", docno="d/4", decision="grade", grade=1, seen=[],
                client_id="c", recorded_at=datetime(2026, 1, 2, tzinfo=UTC),
            )
        )  # fmt: skip
        db.flush()
        found = preview_rules(db, campaign, choices(*default_rules(), "glad", "mean"))
    lines = {line.name: line for line in found.rules}
    # R is a machine, and has no voice.
    assert (found.pairs, found.topics, found.decided) == (3, 2, 1)
    numbers = {
        name: (one.found.settled, one.found.unsettled, one.found.relevant, one.found.without_relevant)
        for name, one in lines.items()
        if one.found
    }
    assert numbers == {
        "majority": (1, 2, 1, ("T2",)),
        "one-X": (3, 0, 2, ("T2",)),
        "one-Y": (3, 0, 2, ()),
        "any": (3, 0, 3, ()),
        "all": (3, 0, 1, ("T2",)),
        "lower-median": (3, 0, 1, ("T2",)),
        "upper-median": (3, 0, 3, ()),
        "adjudicated": (2, 1, 1, ("T2",)),
        "two-and-adjudicator": (2, 1, 1, ("T2",)),
        "sum": (3, 0, 3, ()),
        "glad": numbers["glad"],
    }
    assert lines["adjudicated"].found
    assert lines["adjudicated"].found.adjudicated == 1
    assert lines["mean"].refused.startswith('the rule "mean" gives fractions')
    assert lines["any"].found
    assert lines["any"].found.by_grade == ((2, 1), (3, 2))


def test_the_ranking_of_the_runs_is_compared_between_rules(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    # One run after the other.
    monkeypatch.setattr(rule_scores, "AT_ONCE", 1)
    monkeypatch.setattr(rule_scores, "_COLUMNS", Cache(100))
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
    monkeypatch.setattr(rule_scores, "_COLUMNS", Cache(100))
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
        monkeypatch.setattr(rule_scores, "_COLUMNS", Cache(100))
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
    settle = rule_preview._Rules._settle

    def note(rules: rule_preview._Rules, choice: RuleChoice) -> rule_preview._Settled:
        tried.append(choice.rule)
        return settle(rules, choice)

    monkeypatch.setattr(rule_preview, "_SETTLED", Cache(16))
    monkeypatch.setattr(rule_preview._Rules, "_settle", note)
    with sqlite_database.writing() as db:
        campaign = judged_campaign(db)
        asked = choices("any", "mean")
        first = preview_ranking(db, campaign, asked)
        # Fractions are no grades of qrels; that takes the judgments of all to find out.
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


def test_choices_are_told_apart_and_called_by_what_they_were_told() -> None:
    given = rule_choice(ties="higher", then="mace", line="4", machines=True)
    found = choices_of(["sum", "majority", "one", "adjudicated"], given, assessors=["A. B", "C"])
    assert [choice_name(one) for one in found] == [
        "majority-higher", "one-A. B", "one-C", "adjudicated-mace", "sum-4",
    ]  # fmt: skip
    assert [choice_label(one) for one in found] == [
        "Majority (ties: higher)",
        "One assessor (A. B)",
        "One assessor (C)",
        "Adjudicated first (then MACE)",
        "Sum (line: 4)",
    ]
    assert all(one.machines for one in found)
    # What a rule does not ask for is dropped, so that one choice is not two.
    assert choices_of(["any"], given) == (rule_choice("any", machines=True),)
