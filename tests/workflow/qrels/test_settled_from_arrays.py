"""What a rule makes of the arrays of a topic's answers is what it makes of the judgments as records."""

from __future__ import annotations

import random
from collections.abc import Mapping

import numpy as np
import pytest

from workbench.agreement.ratings import CANNOT_JUDGE, UNSURE
from workbench.consensus.rules import RULES, THEN, RuleChoice, rule_choice
from workbench.consensus.settle import consensus, summary
from workbench.consensus.votes import Pair, vote_table
from workbench.errors import WorkbenchError
from workbench.formats.qrels import topic_lines, write_qrels
from workbench.records import FOUR_GRADES, Grade, Judgment, Scale, sorted_ids
from workbench.workflow.judging.current_judgments import judgments_of_topic
from workbench.workflow.log import TopicAnswers, columns_of
from workbench.workflow.pools.pooled_topics import TopicDocnos
from workbench.workflow.qrels.qrels import Material, qrels_of

ASSESSORS = ((3, "ann", False), (7, "bea", False), (2, "cyd", False), (9, "model", True), (4, "zoe", False))
"""Their ids have another order than their names."""
GAPS = Scale((Grade(0, "no", "0"), Grade(2, "partly", "2"), Grade(7, "yes", "7")), 2)
DOCNOS = [b"a", b"d-1", b"d-10", b"d-2", "\u00e9".encode(), b"\xe9", b"\xff"]
DECIDED: tuple[Mapping[Pair, int], ...] = (
    {},
    # Of pairs that are judged, of others before, between and behind them, and of a topic without an answer.
    {("1", "d-1"): 2, ("1", "0"): 7, ("1", "d-1x"): 0, ("2", "\udcff\udcff"): 2, ("nobody", "d"): 7},
)
CHOICES = [
    *(rule_choice(name, assessor="bea") for name, rule in RULES.items() if not rule.soft),
    *(rule_choice("majority", ties=ties) for ties in ("lower", "higher")),
    *(rule_choice("adjudicated", then=then, assessor="zoe", ties="lower") for then, _ in THEN.choices),
    rule_choice("one", assessor="model"),
    rule_choice("majority", machines=True),
]


def some_answers(scale: Scale, seed: int) -> dict[str, TopicAnswers]:
    """Of five topics; in one nobody gives a grade, in one only the machine does."""
    chance = random.Random(seed)
    values = [grade.value for grade in scale.grades]
    found = {}
    for topic in ("1", "10", "2", "machine", "unsure"):
        rows = []
        for place in range(len(DOCNOS)):
            for number, _, _ in sorted(chance.sample(ASSESSORS, chance.randint(1, 5))):
                if (number == 9) >= (topic == "machine"):
                    given = chance.choice([*values, *values, UNSURE, CANNOT_JUDGE])
                    rows.append((place, number, UNSURE if topic == "unsure" else given))
        places, assessors, codes = np.array(rows, np.int64).reshape(-1, 3).T
        joined = b"\n".join(DOCNOS)
        answered = places.astype(np.int32)
        found[topic] = TopicAnswers(topic, joined, len(DOCNOS), answered, assessors, codes, False)
    return found


def judgments_of(answers: Mapping[str, TopicAnswers]) -> tuple[Judgment, ...]:
    several = (
        judgments_of_topic({number: name for number, name, _ in ASSESSORS}, answers[topic])
        for topic in sorted_ids(answers)
    )
    return tuple(judgment for one in several for judgment in one)


def material(answers: Mapping[str, TopicAnswers], scale: Scale, decided: Mapping[Pair, int]) -> Material:
    machines = {name: machine for _, name, machine in ASSESSORS}
    columns = columns_of(answers[topic] for topic in sorted_ids(answers))
    ids = {name: number for number, name, _ in ASSESSORS}
    return Material(scale, judgments_of(answers), decided, machines, columns, ids)


@pytest.mark.parametrize("choice", CHOICES, ids=lambda one: "-".join((one.rule, *dict(one.given).values())))
@pytest.mark.parametrize("decided", DECIDED, ids=("undecided", "decided"))
def test_a_topic_in_arrays_is_settled_as_its_records_are(
    choice: RuleChoice, decided: Mapping[Pair, int]
) -> None:
    for seed in range(8):
        found = material(some_answers(GAPS, seed), GAPS, decided)
        whole = consensus(
            found.counted(choice),
            rule=choice.rule,
            scale=GAPS,
            relevant_from=2,
            decided=decided,
            **choice.parameters(),
        )
        report = qrels_of(found, choice)
        assert report.settled.consensus == whole
        assert b"".join(report.lines()) == b"".join(write_qrels(whole.qrels))
        assert report.summary == summary(whole)
        pooled = {"1": TopicDocnos.of([b"d-1", b"d-10", b"\xff\xff", b"elsewhere"])}
        graded = {(one.topic, one.docno) for one in whole.qrels}
        assert report.graded_of(pooled) == len(graded & {("1", "d-1"), ("1", "d-10"), ("1", "\udcff\udcff")})


@pytest.mark.parametrize("machines", [False, True])
@pytest.mark.parametrize("decided", DECIDED, ids=("undecided", "decided"))
def test_the_table_of_all_topics_is_that_of_their_records(
    decided: Mapping[Pair, int], machines: bool
) -> None:
    for seed in range(4):
        found = material(some_answers(GAPS, seed), GAPS, decided)
        choice = rule_choice(machines=machines)
        table = found.table(choice)
        other = vote_table(found.counted(choice), scale=GAPS, relevant_from=2, decided=decided)
        assert (table.topics, table.docnos, table.names) == (other.topics, other.docnos, other.names)
        assert (table.numbers.tolist(), table.relevant_from) == (other.numbers.tolist(), 2)
        assert (table.values.tolist(), table.judged.tolist()) == (
            other.values.tolist(),
            other.judged.tolist(),
        )
        assert list(table.decided.items()) == list(other.decided.items())
        for name in ("pairs", "assessors", "grades"):
            assert getattr(table.votes, name).tolist() == getattr(other.votes, name).tolist()
        for name in ("n_pairs", "n_assessors", "n_grades"):
            assert getattr(table.votes, name) == getattr(other.votes, name)


def test_the_table_of_no_topics_is_empty() -> None:
    table = material({}, GAPS, {}).table(rule_choice())
    assert (len(table), table.topics, table.names, table.votes.n_grades) == (0, (), (), 0)


def test_a_grade_outside_the_scale_is_refused_as_in_records() -> None:
    answers = some_answers(GAPS, 1)
    found = material(answers, FOUR_GRADES, {})
    with pytest.raises(WorkbenchError) as of_records:
        consensus(found.judgments, rule="majority", scale=FOUR_GRADES)
    with pytest.raises(WorkbenchError) as of_arrays:
        found.settled(rule_choice("majority", machines=True))
    assert str(of_arrays.value) == str(of_records.value)


def test_a_wrong_parameter_is_refused_where_nothing_is_judged_too() -> None:
    for answers in (some_answers(GAPS, 1), {}):
        with pytest.raises(WorkbenchError, match="ties cannot be"):
            material(answers, GAPS, {}).settled(rule_choice("majority", ties="random"))


@pytest.mark.parametrize(("topic", "docno"), [("q 1", b"a"), ("q1", b"a b"), ("q1", b""), ("q1", b"a\x07")])
def test_lines_of_ids_that_would_not_survive_are_refused(topic: str, docno: bytes) -> None:
    with pytest.raises(WorkbenchError, match="cannot be written"):
        topic_lines(topic, [docno, b"z"], [1, 0])
