"""A release whose files contradict one another becomes no campaign; everything is named at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.releases.made import AT, answer, small_release
from workbench.errors import InvalidInput
from workbench.releases.contents import ReleaseContents, ReleasedAssessor, ReleasedDecision, SeenAnswer
from workbench.workflow.releases import importing
from workbench.workflow.releases.importing import check_importable

RECIPE = {
    "strategy": "depth", "parameters": {"depth": "2"}, "runs": [{"tag": "alpha", "sha256": "0" * 64}],
    "ties": "file", "supplementary": False, "largest_possible": {"T1": 4},
}  # fmt: skip


def whole(**changed: Any) -> ReleaseContents:
    """The small release with right hashes and a recipe of this version."""
    made = small_release()
    documents = tuple(one if one.text is None else replace(one, sha256=one.hashed) for one in made.documents)
    pools = tuple(replace(one, recipe=RECIPE) for one in made.pools)
    return replace(made, **({"documents": documents, "pools": pools} | changed))


def told(contents: ReleaseContents) -> list[tuple[str, int | None, str]]:
    with pytest.raises(InvalidInput) as refused:
        check_importable(contents)
    assert {one.remedy for one in refused.value.findings} == {"ask whoever made the release"}
    return [(one.source, one.line, one.message) for one in refused.value.findings]


def test_a_release_that_agrees_with_itself_is_importable() -> None:
    check_importable(whole())


@pytest.mark.parametrize(
    ("person", "message"),
    [
        (ReleasedAssessor("Ada", False), "Ada is not a pseudonym such as assessor-1"),
        (ReleasedAssessor("assessor-0", False), "assessor-0 is not a pseudonym such as assessor-1"),
        (ReleasedAssessor("assessor-3", True), "assessor-3 is not a pseudonym such as machine-1"),
    ],
)
def test_a_person_is_named_by_a_pseudonym_only(person: ReleasedAssessor, message: str) -> None:
    people = (*small_release().assessors, person)
    assert told(whole(assessors=people)) == [("manifest.json", None, message)]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"topic": "T9"}, "topic T9 is not in the release"),
        ({"assessor": "assessor-7"}, "assessor-7 is not an assessor of the release"),
        ({"answer": "perhaps"}, "unknown answer perhaps or purpose judging"),
        ({"purpose": "fun"}, "unknown answer grade or purpose fun"),
        ({"grade": None}, "an answer needs a grade if it is one, and no grade otherwise"),
        ({"answer": "unsure"}, "an answer needs a grade if it is one, and no grade otherwise"),
        ({"grade": 5}, "5 is not on the scale"),
    ],
)
def test_an_answer_is_of_a_topic_an_assessor_and_the_scale(wrong: dict[str, Any], message: str) -> None:
    answers = (*small_release().answers, replace(answer("assessor-1", "d#1", 1), **wrong))
    ((_, line, found),) = told(whole(answers=answers))
    assert (line, found) == (len(answers), message)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"topic": "T9"}, "the decision is of no known topic, or of unknown assessors"),
        (
            {"seen": (SeenAnswer("assessor-9", 1, "grade", 1),)},
            "the decision is of no known topic, or of unknown assessors",
        ),
        ({"decision": "perhaps"}, "unknown decision perhaps, or a grade without one"),
        ({"grade": None}, "unknown decision grade, or a grade without one"),
        ({"grade": 5}, "5 is not on the scale"),
    ],
)
def test_a_decision_is_of_a_topic_its_assessors_and_the_scale(wrong: dict[str, Any], message: str) -> None:
    decision = replace(ReleasedDecision("T1", "d#1", "grade", 1, AT), **wrong)
    assert told(whole(decisions=(decision,)))[0][1:] == (1, message)


def test_preferences_documents_runs_and_pools_are_compared_with_the_rest() -> None:
    good = whole()
    (preference,), (run,), (pool,) = good.preferences, good.runs, good.pools
    contents = whole(
        preferences=(replace(preference, choice="both"), replace(preference, topic="T9")),
        documents=(replace(good.documents[0], sha256="0" * 64),),
        runs=(replace(run, verdict="perhaps"), replace(run, kind="magic")),
        pools=(
            replace(pool, recipe=RECIPE | {"ties": "by luck"}),
            replace(pool, entries=(replace(pool.entries[0], topic="T9"),)),
            replace(pool, events=(replace(pool.events[0], happening="lost"),)),
        ),
    )
    assert [message for _, _, message in told(contents)] == [
        *["the preference is of no known kind, topic or assessor"] * 2,
        "the text of d#1 does not have the stated hash",
        "run 1 has an unknown verdict or kind",
        "run 2 has an unknown verdict or kind",
        "pool sample has a recipe of another form",
        "pool sample has a topic that is not in the release",
        "pool sample has an event of no known kind, topic or assessor",
    ]


def test_not_more_findings_are_shown_than_anybody_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "MOST_FINDINGS", 2)
    assert len(told(whole(answers=[answer("nobody", "d#1", 1)] * 3))) == 2
