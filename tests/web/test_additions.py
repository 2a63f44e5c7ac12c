"""Documents added by hand, as pages: by the organiser, and by an assessor to her own topic."""

from __future__ import annotations

import gzip

import pytest
from flask.testing import FlaskClient

from tests.cast import Cast
from tests.uploads import links, text_of, upload
from tests.web.conftest import Enter


@pytest.fixture
def added(cast: Cast) -> str:
    """Where the organiser adds to topic T1 of the cast's pool, which has d/4, d1 and d2."""
    return f"/c/harbour/pools/{cast.pool_id}/added?topic=T1"


def test_documents_are_added_with_a_reason_and_marked_everywhere(
    olga: FlaskClient, cast: Cast, added: str
) -> None:
    pool = f"/c/harbour/pools/{cast.pool_id}"
    assert links(olga.get(f"{pool}/topic?topic=T1").text, "added") == [added]
    answer = olga.post(added, data={"docnos": "d6 d#3\nd1", "reason": "by <i>searching</i>"})
    assert answer.status_code == 303
    text = text_of(olga.get(answer.location).text)
    assert "2 documents added." in text
    assert "1 document is already pooled (depth 2) and skipped: d1." in text
    assert "d#3 by <i>searching</i> Olga" in text
    page = text_of(olga.get(pool).text)
    assert "Pairs 8 2 added by hand" in page
    # The runs' share of what they could have brought, here, in the list and on the overview.
    assert "Of the maximum 75.0 % 6 of 8 pairs, if runs shared no documents" in page
    assert "depth 2, 75 % of the maximum" in text_of(olga.get("/c/harbour/").text)
    assert "T1 tides 2 added by hand 5 4 75 %" in page
    assert "beta 4 2 50 % added by hand 2 2 100 %" in page
    topic = text_of(olga.get(f"{pool}/topic?topic=T1").text)
    assert "5 pairs, best rank first, 2 added by hand" in topic
    assert "d/4 1 beta 2 d#3 0 added by hand Olga : by <i>searching</i> d6 0 added by hand Olga : by" in topic
    assert b"T1\td6\tmanual\n" in olga.get(f"{pool}/pairs.tsv").data
    assert "T1,tides,5,4,2" in olga.get(f"{pool}/topics.csv").text
    assert "2 added by hand" in text_of(olga.get("/c/harbour/pools").text)


def test_where_qrels_name_pairs_an_addition_is_marked(
    olga: FlaskClient, ada: FlaskClient, cast: Cast, added: str
) -> None:
    olga.post(added, data={"docnos": "d6", "reason": "r"})
    task = f"/c/harbour/judge/{cast.assignments['Ada', 'T1']}"
    for docno in ("d1", "d6"):
        answer = {"docno": docno, "answer": "unsure", "client_id": f"an-answer-{docno}"}
        assert ada.post(f"{task}/answer", data=answer).status_code == 303
    text = text_of(olga.get("/c/harbour/qrels").text)
    assert "T1 tides d6 added by hand" in text
    assert "T1 d1 added" not in text


def test_docnos_may_come_in_a_file(olga: FlaskClient, added: str) -> None:
    file = upload("more.txt.gz", gzip.compress("é5\nd6\n".encode()))
    answer = olga.post(added, data={"file": file, "reason": "a list"})
    assert "2 documents added." in text_of(olga.get(answer.location).text)


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"docnos": "d6\nnowhere", "reason": "r"}, "Docnos:2"),
        ({"docnos": "d6", "reason": " "}, 'id="reason-error-1"'),
        ({"docnos": " ", "reason": "r"}, 'id="docnos-error-1"'),
    ],
)
def test_what_is_wrong_is_said_nothing_is_added_and_what_was_typed_is_kept(
    olga: FlaskClient, added: str, form: dict[str, str], said: str
) -> None:
    answer = olga.post(added, data=form)
    assert answer.status_code == 422
    assert said in answer.text
    assert form["docnos"].strip() in answer.text
    assert "document added by hand" not in text_of(olga.get(added).text)


def test_typed_docnos_and_a_file_are_not_both_taken(olga: FlaskClient, added: str) -> None:
    form = {"docnos": "d6", "file": upload("more.txt", "é5\n"), "reason": "r"}
    assert 'id="docnos-error-1"' in olga.post(added, data=form).text


def test_an_addition_is_taken_out_again_unless_it_is_judged(
    olga: FlaskClient, enter: Enter, cast: Cast, added: str
) -> None:
    olga.post(added, data={"docnos": "d6 é5", "reason": "r"})
    task = f"/c/harbour/judge/{cast.assignments['Ada', 'T1']}"
    answer = {"docno": "é5", "answer": "2", "client_id": "an-answer-1"}
    assert enter("Ada").post(f"{task}/answer", data=answer).status_code == 303
    out = added.replace("added?topic=T1", "added/out")
    page = olga.get(added).text
    assert page.count('action="' + out) == 1
    olga.post(out, data={"topic": "T1", "docno": "d6"})
    refused = olga.post(out, data={"topic": "T1", "docno": "é5"})
    text = text_of(olga.get(refused.location).text)
    assert "é5 has been judged" in text
    assert "1 document added by hand" in text
    assert "1 document removed" in text
    assert text.count("Olga") >= 3  # who added é5 that stays, who added d6, who took it out


def test_an_assessor_adds_to_her_topic_and_nothing_at_the_desk_tells_it(enter: Enter, cast: Cast) -> None:
    ada, ben = enter("Ada"), enter("Ben")
    task = f"/c/harbour/judge/{cast.assignments['Ada', 'T1']}"
    assert f"{task}/added" in links(ada.get(task).text, "added")
    before = text_of(ada.get(f"{task}?docno=d1").text)
    answer = ada.post(f"{task}/added", data={"docnos": "d6 d1", "reason": "the secret reason"})
    text = text_of(ada.get(answer.location).text)
    assert "1 document added." in text
    # Not even the name of the pool that has the other.
    assert "1 document is already pooled and skipped: d1." in text
    assert "d6 the secret reason" in text
    assert "0 of 3" in before
    for client, address in ((ada, task), (ben, f"/c/harbour/judge/{cast.assignments['Ben', 'T1']}")):
        desk = client.get(f"{address}?docno=d6").text
        assert "0 of 4" in text_of(desk)
        assert "secret" not in desk
        assert "by hand" not in desk
    # What Ada added is not told to Ben on his own page either.
    assert "secret" not in ben.get(f"/c/harbour/judge/{cast.assignments['Ben', 'T1']}/added").text


def test_an_assessor_adds_to_no_topic_of_another(ada: FlaskClient, cast: Cast) -> None:
    others = f"/c/harbour/judge/{cast.assignments['Ben', 'T1']}/added"
    assert ada.get(others).status_code == 404
    assert ada.post(others, data={"docnos": "d6", "reason": "r"}).status_code == 404


def test_an_assessors_mistakes_are_told(ada: FlaskClient, cast: Cast) -> None:
    task = f"/c/harbour/judge/{cast.assignments['Ada', 'T1']}/added"
    refused = ada.post(task, data={"docnos": "nowhere", "reason": "r"})
    assert refused.status_code == 422
    assert "nowhere is no document of this campaign" in refused.text
