"""What rules make of topics, in arrays, against what `consensus` makes of all judgments at once."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from tests.builders import campaign_with_people
from workbench.consensus.rule_choice import RuleChoice, choice_name, choices_of, default_rules, rule_choice
from workbench.consensus.settle import consensus
from workbench.consensus.summary import Summary, summary
from workbench.errors import WorkbenchError
from workbench.formats.qrels import write_qrels
from workbench.records import FOUR_GRADES, Answer, Judgment, Topic
from workbench.storage import Session
from workbench.storage.engine import Database
from workbench.storage.tables import AdjudicationEventRow
from workbench.workflow import last_results
from workbench.workflow.caching import Cache
from workbench.workflow.campaigns.collection import load_topics
from workbench.workflow.judging.importing import import_judgments
from workbench.workflow.last_results import LastResults
from workbench.workflow.qrels import rule_preview, settled_topics
from workbench.workflow.qrels.qrels import material
from workbench.workflow.qrels.rule_preview import preview_rules
from workbench.workflow.qrels.settled_topics import TopicRules

TOPICS = ("T1", "T2", "é")


def drawn(random: np.random.Generator) -> list[Judgment]:
    """Judgments of three people and a machine; some documents have one, some answers are no grade."""
    found = []
    for name in ("Z", "X", "R", "Y"):
        for topic in TOPICS:
            for docno in ("d1", "d10", "d2", "é"):
                if random.random() < 0.6:
                    unsure = random.random() < 0.2
                    answer = Answer.UNSURE if unsure else Answer.GRADE
                    grade = None if unsure else int(random.integers(4))
                    found.append(Judgment(name, topic, docno, grade, answer))
    return found


def every_choice() -> tuple[RuleChoice, ...]:
    rules = default_rules(slow=True)
    people = choices_of(rules, rule_choice(), assessors=["X", "R"])
    others = [
        rule_choice("majority", machines=True, ties="higher"),
        rule_choice("majority", ties="lower"),
        rule_choice("sum", fewer="sum", line="4"),
        rule_choice("sum", binary="yes"),
        rule_choice("adjudicated", then="upper-median"),
        rule_choice("adjudicated", then="dawid-skene"),
    ]
    return (*people, *others)


def decide(db: Session, campaign: int, topic: str, docno: str, grade: int, client: str) -> None:
    db.add(
        AdjudicationEventRow(
            campaign_id=campaign, topic=topic, docno=docno, decision="grade", grade=grade, seen=[],
            client_id=client, recorded_at=datetime(2026, 1, 2, tzinfo=UTC),
        )
    )  # fmt: skip
    db.flush()


def told(db: Session, campaign: int, choice: RuleChoice) -> tuple[Summary, str] | str:
    """The summary and the file's hash of a rule, from all judgments one by one."""
    found = material(db, campaign)
    try:
        whole = consensus(
            found.counted(choice),
            rule=choice.rule,
            scale=found.scale,
            relevant_from=found.scale.relevant_from,
            decided=found.decided,
            **choice.parameters(),
        )
    except WorkbenchError as error:
        return str(error)
    judged = dict.fromkeys(one.topic for one in found.counted(choice))
    lines = b"".join(write_qrels(whole.qrels))
    return summary(whole, topics=tuple(judged)), hashlib.sha256(lines).hexdigest()


@pytest.mark.parametrize(("seed", "tables"), [(0, True), (1, True), (2, True), (3, False)])
def test_topics_in_arrays_are_what_consensus_makes_of_all_judgments(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch, seed: int, tables: bool
) -> None:
    if not tables:  # as of a rule that somebody adds, who need not write it for arrays
        for module in (rule_preview, settled_topics):
            monkeypatch.setattr(module, "consensus_of_table", lambda *_, **__: None)
    random = np.random.default_rng(seed)
    monkeypatch.setattr(rule_preview, "_SETTLED", Cache(64))
    monkeypatch.setattr(rule_preview, "_LEARNT", Cache(4))
    with sqlite_database.writing() as db:
        campaign = campaign_with_people(db, scale=FOUR_GRADES).campaign.id
        load_topics(db, campaign, [Topic("é", "é")], source="more")
        import_judgments(db, campaign, drawn(random), source="first", machines=["R"])
    for number in range(3):
        with sqlite_database.writing() as db:
            # Of a document that was judged, and of one that nobody has judged.
            decide(db, campaign, TOPICS[number], ("d10", "d11", "d0")[number], number, f"c{number}")
            judged = [Judgment("X", "T2", "d2", int(random.integers(4)))]
            import_judgments(db, campaign, judged, source=f"save {number}")
        with sqlite_database.reading() as db:
            for choice in every_choice():
                (line,) = preview_rules(db, campaign, [choice]).rules
                expected = told(db, campaign, choice)
                found = (line.found, line.sha256) if line.found else line.refused
                assert found == expected, choice_name(choice)
            counted = preview_rules(db, campaign, [rule_choice()])
            pairs = {(one.topic, one.docno) for one in material(db, campaign).counted(rule_choice())}
            topics = {topic for topic, _ in pairs}
            assert (counted.pairs, counted.topics) == (len(pairs), len(topics))


def test_a_save_settles_one_topic_anew(sqlite_database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    settled: list[str] = []
    settle = TopicRules._settle

    def note(one: TopicRules, *given: Any) -> Any:
        settled.append(one.documents.topic)
        return settle(one, *given)

    monkeypatch.setattr(TopicRules, "_settle", note)
    with sqlite_database.writing() as db:
        campaign = campaign_with_people(db, scale=FOUR_GRADES).campaign.id
        load_topics(db, campaign, [Topic("é", "é")], source="more")
        import_judgments(db, campaign, drawn(np.random.default_rng(5)), source="first", machines=["R"])
    choices = choices_of(["any", "sum"], rule_choice())
    with sqlite_database.reading() as db:
        preview_rules(db, campaign, choices)
        preview_rules(db, campaign, choices)
    assert sorted(settled) == ["T1", "T1", "T2", "T2", "é", "é"]
    settled.clear()
    with sqlite_database.writing() as db:
        import_judgments(db, campaign, [Judgment("Y", "T2", "d9", 3)], source="again")
    with sqlite_database.reading() as db:
        preview_rules(db, campaign, choices)
    assert settled == ["T2", "T2"]


def test_a_rule_that_learns_may_be_of_earlier_answers_where_that_is_said(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As if it took seconds.
    monkeypatch.setattr(last_results, "QUICK_SECONDS", -1.0)
    monkeypatch.setattr(rule_preview, "_LAST", LastResults(4))
    with sqlite_database.writing() as db:
        campaign = campaign_with_people(db, scale=FOUR_GRADES).campaign.id
        agreed = [Judgment(name, "T1", "d1", 3) for name in ("X", "Y", "Z")]
        import_judgments(db, campaign, agreed, source="first")
    asked = [rule_choice("dawid-skene"), rule_choice("any")]
    hashes: dict[tuple[str, int], set[str]] = {}

    def settled(*, patient: bool) -> list[tuple[int, int | None]]:
        with sqlite_database.reading() as db:
            lines = preview_rules(db, campaign, asked, patient=patient).rules
            for line in lines:
                hashes.setdefault((line.choice.rule, line.found.settled if line.found else 0), set()).add(
                    line.sha256
                )
        return [
            (one.found.settled if one.found else 0, one.age.answers if one.age else None) for one in lines
        ]

    assert settled(patient=True) == [(1, None), (1, None)]
    monkeypatch.setattr(last_results, "MOST_OLDER", 1e9)
    with sqlite_database.writing() as db:
        judged = [Judgment("X", "T1", "d2", 0), Judgment("Y", "T2", "d2", 0)]
        import_judgments(db, campaign, judged, source="again")
    # What looks at pairs alone is always of now.
    assert settled(patient=True) == [(1, 2), (3, None)]
    assert settled(patient=False) == settled(patient=True) == [(3, None), (3, None)]
    with sqlite_database.writing() as db:
        decide(db, campaign, "T1", "d2", 1, "c")
    # A decision is no answer, and is not left out.
    assert settled(patient=True)[0] == (3, None)
    monkeypatch.setattr(last_results, "MOST_OLDER", 0)
    with sqlite_database.writing() as db:
        import_judgments(db, campaign, [Judgment("X", "T1", "d3", 0)], source="last")
    assert settled(patient=True) == [(4, None), (4, None)]
    # What is of earlier answers has the file of these.
    assert [len(several) for several in hashes.values()] == [1] * 6
