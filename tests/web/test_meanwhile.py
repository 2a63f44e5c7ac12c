"""Two people change a campaign at once, or one after the other with pages that are older than the change."""

from __future__ import annotations

import threading
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import select, text

from tests.api import API, program
from tests.builders import invite
from tests.cast import CHEAP, Cast, assemble, signed_in_client
from tests.uploads import import_judgments, text_of
from tests.web.conftest import Enter
from tests.web.test_desk_api import Desk
from workbench.settings import read_settings
from workbench.storage import locks
from workbench.storage.engine import Database
from workbench.storage.tables import AssignmentRow, JudgmentEventRow
from workbench.web.context import Context, init_app
from workbench.workflow.clock import utc_now
from workbench.workflow.judging.queues import queue_report
from workbench.workflow.people.groups import add_group, own_groups
from workbench.workflow.people.membership import Role, members
from workbench.workflow.pools import drafts
from workbench.workflow.pools.listing import pools_of
from workbench.workflow.pools.making import known_pairs_of

SETTINGS = "/c/harbour/settings"


class _Form(HTMLParser):
    """The fields of the form with an action, as a browser would send them untouched."""

    def __init__(self, action: str) -> None:
        super().__init__()
        self._action, self._inside, self._area, self._list = action, False, "", ""
        self.fields: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        name = given.get("name") or ""
        if tag == "form":
            self._inside = given.get("action") == self._action
        if not self._inside or (tag != "option" and not name):
            return
        if tag == "input" and (given.get("type") not in ("radio", "checkbox") or "checked" in given):
            self.fields[name] = given.get("value") or ""
        elif tag == "textarea":
            self._area, self.fields[name] = name, ""
        elif tag == "select":
            self._list = name
        elif tag == "option" and "selected" in given:
            self.fields[self._list] = given.get("value") or ""

    def handle_data(self, data: str) -> None:
        if self._area:
            self.fields[self._area] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._inside = False
        if tag == "textarea" and self._area:
            # As browsers read it.
            self.fields[self._area] = self.fields[self._area].removeprefix("\n")
            self._area = ""


def form(page: str, action: str = SETTINGS) -> dict[str, str]:
    found = _Form(action)
    found.feed(page)
    return found.fields


def opened(olga: FlaskClient) -> dict[str, str]:
    return form(olga.get(SETTINGS).text)


def own_scale(fields: dict[str, str]) -> dict[str, str]:
    """The form with a custom scale, whose rows are those of the campaign."""
    return fields | {"scale": "own"}


def test_a_field_that_was_not_touched_stays_as_somebody_else_saved_it(olga: FlaskClient) -> None:
    mine, theirs = opened(olga), opened(olga)
    assert olga.post(SETTINGS, data=theirs | {"guidelines": "Read it twice."}).status_code == 303
    assert olga.post(SETTINGS, data=mine | {"name": "Haven"}).status_code == 303
    now = opened(olga)
    assert (now["name"], now["guidelines"]) == ("Haven", "Read it twice.")


def test_a_field_that_two_changed_is_refused_once_with_both_texts(olga: FlaskClient) -> None:
    mine, theirs = opened(olga), opened(olga)
    olga.post(SETTINGS, data=theirs | {"guidelines": "Read it twice.", "name": "Haven"})
    refused = olga.post(SETTINGS, data=mine | {"guidelines": "Skim it."})
    assert refused.status_code == 422
    assert "Read it twice." in text_of(refused.text)
    assert form(refused.text)["guidelines"] == "Skim it."
    assert opened(olga)["guidelines"] == "Read it twice."
    assert olga.post(SETTINGS, data=form(refused.text)).status_code == 303
    # Nor does the refused form undo what it never touched.
    assert (opened(olga)["guidelines"], opened(olga)["name"]) == ("Skim it.", "Haven")
    # What was there before can still be read.
    assert "Read it twice." in text_of(olga.get(SETTINGS).text)


@pytest.mark.parametrize(
    ("address", "one", "other", "shown"),
    [
        ("breaks", {"break_minutes": "30"}, {"break_minutes": "45"}, "30"),
        ("asked", {"questions": "Ease: low, high"}, {"questions": "Style: bad, good"}, "Ease: low, high"),
    ],
)
def test_so_is_every_other_setting(
    olga: FlaskClient, address: str, one: dict[str, str], other: dict[str, str], shown: str
) -> None:
    action = f"{SETTINGS}/{address}"
    first, second = (form(olga.get(SETTINGS).text, action) for _ in range(2))
    assert olga.post(action, data=first | one).status_code == 303
    assert olga.post(action, data=second | other).status_code == 422
    assert form(olga.get(SETTINGS).text, action)[next(iter(one))] == shown


@pytest.mark.parametrize(
    ("page", "action", "one", "other"),
    [
        ("/runs/rules", "", ("max_per_topic", "100"), {"rule_set": "strict"}),
        ("/settings/probes", "", ("one_in", "20"), {"distance": "12"}),
        ("/adjudication", "/rules", ("steps", "1"), {"machines": "yes"}),
        ("/pools/{}/queue", "", ("lease_minutes", "9"), {"per_pair": "2"}),
    ],
)
def test_rules_of_all_kinds_are_saved_field_by_field_and_refused_where_two_changed_one(
    olga: FlaskClient,
    cast: Cast,
    page: str,
    action: str,
    one: tuple[str, str],
    other: dict[str, str],
) -> None:
    name, value = one
    page = f"/c/harbour{page.format(cast.pool_id)}"
    action = page + action

    def saved() -> tuple[str, dict[str, str]]:
        now = form(olga.get(page).text, action)
        return now[name], {field: now[field] for field in other}

    first, second, third = (form(olga.get(page).text, action) for _ in range(3))
    assert olga.post(action, data=first | {name: value}).status_code == 303
    # The second has not touched what the first has changed.
    assert olga.post(action, data=second | other).status_code == 303
    assert saved() == (value, other)
    # The third has, and learns of it; what it then saves counts.
    refused = olga.post(action, data=third | {name: "3"})
    assert refused.status_code == 422
    assert f"omebody else changed this to {value} after" in text_of(refused.text)
    again = form(refused.text, action)
    assert again[name] == "3"
    assert olga.post(action, data=again).status_code == 303
    assert saved() == ("3", other)


def test_other_meanings_of_grades_are_asked_for_twice_once_documents_are_judged(olga: FlaskClient) -> None:
    import_judgments(olga, [("T1", "d1", "X", "3")])
    changed = own_scale(opened(olga)) | {"label-0": "Off topic", "key-0": "1", "key-1": "0"}
    asked = olga.post(SETTINGS, data=changed)
    assert asked.status_code == 409
    page = text_of(asked.text)
    assert "Grade 0 is called “Off topic”" in page
    assert "Key 1 gives “Off topic”" in page
    assert opened(olga)["label-0"] != "Off topic"
    assert olga.post(SETTINGS, data=form(asked.text)).status_code == 303
    assert opened(olga)["label-0"] == "Off topic"


def test_an_open_desk_hears_of_other_grades_and_judgments_say_which_they_were_given_by(
    olga: FlaskClient, enter: Enter, cast: Cast, sqlite_database: Database
) -> None:
    ada = Desk(enter("Ada"), f"/c/harbour/judge/{cast.assignments['Ada', 'T1']}")
    version = ada.facts["instructions"]
    (before,) = ada.send(ada.event("d1", 1, instructions=version)).get_json()["receipts"]
    changed = olga.post(SETTINGS, data=own_scale(opened(olga)) | {"label-1": "Touches it"})
    assert olga.post(SETTINGS, data=form(changed.text)).status_code == 303
    (after,) = ada.send(ada.event("d2", 1, instructions=version)).get_json()["receipts"]
    assert [one.get("outdated", False) for one in (before, after)] == [False, True]
    # Whoever loads the desk reads what is new until the first answer by it.
    news = "Changed since your last answer: Grade 1 is called “Touches it”"
    assert news in text_of(ada.client.get(ada.address).text)
    anew = Desk(ada.client, ada.address)
    assert anew.facts["instructions"] == version + 1
    (last,) = anew.send(anew.event("d/4", 1, instructions=version + 1)).get_json()["receipts"]
    assert "outdated" not in last
    assert "Changed since" not in text_of(ada.client.get(ada.address).text)
    with sqlite_database.reading() as db:
        said = db.scalars(select(JudgmentEventRow.instructions).order_by(JudgmentEventRow.id)).all()
    assert said == [version, version, version + 1]


def test_a_desk_is_told_when_nothing_more_will_be_recorded(
    enter: Enter, cast: Cast, sqlite_database: Database
) -> None:
    ada = Desk(enter("Ada"), f"/c/harbour/judge/{cast.assignments['Ada', 'T1']}")
    with sqlite_database.writing() as db:
        db.get_one(AssignmentRow, cast.assignments["Ada", "T1"]).revoked_at = utc_now(None)
    (receipt,) = ada.send(ada.event("d1", 1)).get_json()["receipts"]
    assert (receipt["outcome"], receipt["ends"]) == ("kept_aside", True)


# ---- at once, on both databases -------------------------------------------------------------------------


def at_once(database: Database, campaign_id: int, *acts: Callable[[], Any]) -> list[Any]:
    """What each act gives, all of them begun while somebody else changes the campaign."""
    found: list[Any] = [None] * len(acts)

    def do(number: int) -> None:
        found[number] = acts[number]()

    threads = [threading.Thread(target=do, args=(number,)) for number in range(len(acts))]
    with database.writing() as db:
        locks.change(db, campaign_id)
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(0.3)
    for thread in threads:
        thread.join()
    return found


@pytest.fixture
def here(shared_app: Flask, database: Database) -> Cast:
    cast = assemble(database)
    init_app(shared_app, Context(read_settings({}), database, CHEAP))
    return cast


@pytest.mark.engines
def test_two_programs_that_change_different_settings_at_once_both_hold(
    here: Cast, shared_app: Flask, database: Database
) -> None:
    olga = [program(shared_app, database, here.accounts["Olga"]) for _ in range(2)]
    answers = at_once(
        database,
        here.campaign_id,
        lambda: olga[0].patch(f"{API}/campaigns/harbour", json={"name": "Haven"}).status_code,
        lambda: olga[1].patch(f"{API}/campaigns/harbour", json={"guidelines": "Twice."}).status_code,
    )
    assert answers == [200, 200]
    now = olga[0].get(f"{API}/campaigns/harbour").get_json()
    assert (now["name"], now["guidelines"]) == ("Haven", "Twice.")


@pytest.mark.engines
def test_a_scale_and_judgments_that_it_lacks_do_not_both_come_in(
    here: Cast, shared_app: Flask, database: Database
) -> None:
    olga = [program(shared_app, database, here.accounts["Olga"]) for _ in range(2)]
    table = b"topic\tdoc\tassessor\tgrade\nT1\td1\tX\t3\n"
    answers = at_once(
        database,
        here.campaign_id,
        lambda: olga[0].post(f"{API}/campaigns/harbour/judgments", data=table).status_code,
        lambda: olga[1].patch(f"{API}/campaigns/harbour", json={"scale": "binary"}).status_code,
    )
    assert sorted(answers)[0] == 200 < sorted(answers)[1]
    assert olga[0].get(f"{API}/campaigns/harbour/qrels?rule=majority").status_code == 200


@pytest.mark.engines
def test_a_comment_and_another_grade_at_once_are_both_there(
    here: Cast, shared_app: Flask, database: Database
) -> None:
    address = f"/c/harbour/judge/{here.assignments['Ada', 'T1']}"
    one, other = (
        Desk(signed_in_client(shared_app, database, here.accounts["Ada"]), address) for _ in range(2)
    )
    first = one.event("d1", 1)
    one.send(first)
    known = {"before": first["client_id"]}
    comment = one.event("d1", 1) | known | {"kind": "comment", "comment": "Look again."}
    grade = other.event("d1", 3) | known
    at_once(database, here.campaign_id, lambda: one.send(comment), lambda: other.send(grade))
    with database.reading() as db:
        last = db.scalars(select(JudgmentEventRow).order_by(JudgmentEventRow.id.desc()).limit(1)).one()
    assert (last.grade, last.comment) == (3, "Look again.")


@pytest.mark.engines
def test_two_undos_at_once_withdraw_two_answers(here: Cast, shared_app: Flask, database: Database) -> None:
    address = f"/c/harbour/judge/{here.assignments['Ada', 'T1']}"
    desks = [Desk(signed_in_client(shared_app, database, here.accounts["Ada"]), address) for _ in range(2)]
    for docno in ("d1", "d2"):
        desks[0].send(desks[0].event(docno, 1))

    def undo(desk: Desk, client_id: str) -> int:
        return desk.client.post(f"{address}/undo", data={"client_id": client_id}).status_code

    at_once(
        database,
        here.campaign_id,
        lambda: undo(desks[0], "undo-number-1"),
        lambda: undo(desks[1], "undo-number-2"),
    )
    with database.reading() as db:
        event = JudgmentEventRow
        undone = select(event.docno).where(event.answer == "withdrawn").order_by(event.id)
        assert sorted(db.scalars(undone)) == ["d1", "d2"]


@pytest.mark.engines
def test_a_draft_that_is_rebuilt_while_it_is_opened_is_not_opened(
    here: Cast, shared_app: Flask, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    olga = program(shared_app, database, here.accounts["Olga"])
    made = olga.post(
        f"{API}/campaigns/harbour/pools", json={"name": "later", "parameters": {"depth": 1}, "draft": True}
    )
    assert made.status_code == 201, made.text
    with database.reading() as db:
        seen = drafts.before_opening(db, here.campaign_id, "later").sha256
    read = known_pairs_of

    def rebuilt_after_reading(db: Any, row: Any) -> Any:
        found = read(db, row)
        monkeypatch.setattr(drafts, "known_pairs_of", read)
        # As many pairs as before, of other documents, from other runs.
        with database.writing() as other:
            other.execute(
                text("update pool_entry set docno = docno || 'x' where pool_id = :id"), {"id": row.id}
            )
            pool = other.get_one(type(row), row.id)
            pool.recipe = pool.recipe | {"runs": []}
        return found

    monkeypatch.setattr(drafts, "known_pairs_of", rebuilt_after_reading)
    with pytest.raises(Exception, match="changed"):
        drafts.open_while_others_write(database, here.campaign_id, "later", seen=seen)


@pytest.mark.engines
def test_releases_made_at_once_have_the_next_versions_and_one_version_is_made_once(
    here: Cast, shared_app: Flask, database: Database
) -> None:
    olga = [program(shared_app, database, here.accounts["Olga"]) for _ in range(3)]
    address = f"{API}/campaigns/harbour"
    table = b"topic\tdoc\tassessor\tgrade\nT1\td1\tX\t3\n"
    assert olga[0].post(f"{address}/judgments", data=table).status_code == 200

    def release(number: int, **asked: str) -> Any:
        return olga[number].post(f"{address}/releases", json={"rule": "majority", **asked})

    made = at_once(database, here.campaign_id, *(lambda n=n: release(n) for n in range(3)))
    assert sorted(one.get_json()["version"] for one in made) == ["1.0", "1.1", "1.2"]
    named = at_once(
        database, here.campaign_id, lambda: release(0, version="2.0"), lambda: release(1, version="2.0")
    )
    assert sorted(one.status_code for one in named) == [201, 409]
    (refused,) = [one for one in named if one.status_code == 409]
    assert "there is already a release 2.0" in refused.get_json()["detail"]


@pytest.mark.engines
def test_the_same_topic_loaded_twice_at_once_is_there_once(
    here: Cast, shared_app: Flask, database: Database
) -> None:
    olga = [program(shared_app, database, here.accounts["Olga"]) for _ in range(2)]
    topics = b"T9: Spring tides\n"
    send = [lambda n=n: olga[n].post(f"{API}/campaigns/harbour/topics", data=topics) for n in range(2)]
    assert [one.status_code for one in at_once(database, here.campaign_id, *send)] == [200, 200]
    found = olga[0].get(f"{API}/campaigns/harbour/topics").get_json()["items"]
    assert [one["topic"] for one in found].count("T9") == 1


@pytest.mark.engines
def test_one_person_does_not_get_both_sides_by_two_invitations_at_once(
    here: Cast, shared_app: Flask, database: Database
) -> None:
    otto = here.accounts["Otto"]
    with database.writing() as db:
        group = add_group(db, here.campaign_id, "Neap")
        offers = [(Role.ASSESSOR, None), (Role.PARTICIPANT, group)]
        links = [
            invite(db, here.campaign_id, role=role, group_id=of, invited_by=None).token for role, of in offers
        ]
    clients = [signed_in_client(shared_app, database, otto) for _ in range(2)]
    accept = [lambda n=n: clients[n].post(f"/invitation/{links[n]}/accept").status_code for n in range(2)]
    at_once(database, here.campaign_id, *accept)
    with database.reading() as db:
        assesses = any(
            one.account_id == otto.id and Role.ASSESSOR in one.roles for one in members(db, here.campaign_id)
        )
        participates = bool(own_groups(db, here.campaign_id, otto.id))
    assert assesses != participates


@pytest.mark.engines
def test_a_topic_that_is_taken_back_while_documents_are_handed_out_leaves_none_behind(
    here: Cast, shared_app: Flask, database: Database
) -> None:
    olga = signed_in_client(shared_app, database, here.accounts["Olga"])
    queue = f"/c/harbour/pools/{here.pool_id}/queue"
    assert olga.post(queue, data={"per_pair": "1", "lease_minutes": "45"}).status_code == 303
    ada = signed_in_client(shared_app, database, here.accounts["Ada"])
    own = here.assignments["Ada", "T1"]
    with database.reading() as db:
        ada_id = db.get_one(AssignmentRow, own).assessor_id
    taken = {"pool": here.pool_id, "had": [f"{ada_id}:T1"], "order": "docno"}
    at_once(
        database,
        here.campaign_id,
        lambda: ada.get(f"/c/harbour/judge/{own}").status_code,
        lambda: olga.post("/c/harbour/assignments/topics", data=taken).status_code,
    )
    with database.reading() as db:
        (name,) = [one.name for one in pools_of(db, here.campaign_id) if one.id == here.pool_id]
        assert [one for one in queue_report(db, here.campaign_id, name).out if one.assessor == "Ada"] == []
