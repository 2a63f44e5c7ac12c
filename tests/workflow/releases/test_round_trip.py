"""A release imported gives the same campaign: exporting it again gives the same bytes."""

from __future__ import annotations

import io
from dataclasses import replace
from zipfile import ZipFile

import pytest
from sqlalchemy import select, update

from tests.builders import account
from tests.workflow.judging.handed_out import live_pool
from tests.workflow.judging.test_learner_pools import judge_all, learner_pool, rounds_of
from tests.workflow.releases.filled import RELEASED, filled_campaign, filled_release
from workbench.consensus.rules import ASSESSOR, RuleChoice, rule_choice
from workbench.errors import Conflict, InvalidInput
from workbench.releases.check import check_release, open_release
from workbench.releases.contents import Included, ReleaseContents
from workbench.storage.engine import Database
from workbench.storage.tables import AccountRow, AssessorRow, JudgmentEventRow
from workbench.workflow.campaigns.archive import delete_campaign
from workbench.workflow.campaigns.campaigns import instructions_of
from workbench.workflow.campaigns.originals import original_bytes
from workbench.workflow.judging.adaptive_states import replay_pool
from workbench.workflow.people.membership import Role, add_role, remove_role
from workbench.workflow.pools.listing import pools_of
from workbench.workflow.pools.pool_rows import pool_events
from workbench.workflow.releases.collecting import ReleaseRequest
from workbench.workflow.releases.importing import import_release
from workbench.workflow.releases.making import make_release
from workbench.workflow.releases.releases import release_parts

EVERYTHING = tuple(Included)


def request_like(contents: ReleaseContents) -> ReleaseRequest:
    """The request by which a campaign made of a release gives that very release again."""
    about, names = contents.about, {one.pseudonym: one.name or one.pseudonym for one in contents.assessors}
    given = dict(contents.rule.parameters)
    if ASSESSOR.name in given:
        given[ASSESSOR.name] = names.get(given[ASSESSOR.name], given[ASSESSOR.name])
    return ReleaseRequest(
        about.version,
        RuleChoice(contents.rule.name, contents.rule.machines, tuple(given.items())),
        contents.included,
        about.title,
        about.description,
        about.authors,
        about.licence,
        about.homepage,
    )


def exported(database: Database, *included: Included, backwards: bool = False) -> bytes:
    """The bytes of a release of the filled campaign, which is deleted afterwards."""
    with database.writing() as db:
        campaign = filled_campaign(db, backwards=backwards)
    made = filled_release(database, campaign, *included)
    with database.reading() as db:
        content = b"".join(release_parts(db, made.release))
    delete_campaign(database, campaign, typed_name="Harbour")
    return content


def released(database: Database, campaign_id: int, request: ReleaseRequest) -> bytes:
    """The bytes of a release of a campaign."""
    made = make_release(database, campaign_id, request, now=RELEASED)
    with database.reading() as db:
        return b"".join(release_parts(db, made.release))


def read(content: bytes) -> ReleaseContents:
    return open_release(io.BytesIO(content), source="r.zip")


@pytest.mark.engines
@pytest.mark.parametrize("included", [(), EVERYTHING], ids=["least", "everything"])
def test_a_release_of_an_imported_release_has_the_same_bytes(
    database: Database, included: tuple[Included, ...]
) -> None:
    content = exported(database, *included)
    contents = read(content)
    made = import_release(database, contents)
    again = make_release(database, made.campaign.id, request_like(contents), now=RELEASED)
    with database.reading() as db:
        assert b"".join(release_parts(db, again.release)) == content
        assert {pool.state for pool in pools_of(db, made.campaign.id)} == {"closed"}
        # What the assessors were told, and which answer was given under which version.
        versions = [(one.version, one.guidelines) for one in instructions_of(db, made.campaign.id)]
        assert versions == [(2, "Read *it*.\n"), (1, "Read.\n")]
        assert set(db.scalars(select(JudgmentEventRow.instructions))) == {None, 2}
        assert db.scalars(select(AccountRow)).all() == []
        assessors = set(db.scalars(select(AssessorRow.name)))
    assert assessors == {"assessor-1", "assessor-2", "judge-7b"}


def test_an_assessor_who_was_an_organiser_is_marked_also_after_an_import(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        campaign = filled_campaign(db)
        eve, fay = account(db, "Eve"), account(db, "Fay")
        for who, role in [(eve, Role.ORGANISER), (fay, Role.ORGANISER), (fay, Role.ASSESSOR)]:
            add_role(db, campaign, who, role)
        remove_role(db, campaign, fay, Role.ORGANISER)
        own = db.scalars(select(AssessorRow.id).where(AssessorRow.account_id == fay)).one()
        db.execute(update(JudgmentEventRow).where(JudgmentEventRow.topic == "T2").values(assessor_id=own))
    content = released(sqlite_database, campaign, ReleaseRequest("1.0", rule_choice("majority"), seed=1))
    contents = read(content)
    (marked,) = (one.pseudonym for one in contents.assessors if one.organiser)
    assert {one.topic for one in contents.answers if one.assessor == marked} == {"T2"}
    with ZipFile(io.BytesIO(content)) as zipped:
        (sheet,) = (name for name in zipped.namelist() if name.endswith("DATASHEET.md"))
        assert f"{marked} also organised the campaign" in zipped.read(sheet).decode()
    delete_campaign(sqlite_database, campaign, typed_name="Harbour")
    made = import_release(sqlite_database, contents)
    assert released(sqlite_database, made.campaign.id, request_like(contents)) == content


@pytest.mark.engines
def test_a_database_filled_in_the_opposite_order_gives_the_same_bytes(database: Database) -> None:
    assert exported(database, *EVERYTHING) == exported(database, *EVERYTHING, backwards=True)


def test_a_release_has_nobodys_name_and_texts_only_by_choice(sqlite_database: Database) -> None:
    least, most = exported(sqlite_database), exported(sqlite_database, *EVERYTHING)
    for name in (b"Cara", b"the table says so", b"clearer", b"Text of d1", b"alpha 1\n"):
        assert name not in least
    assert b"Cara" not in most
    contents = read(most)
    # Of d#3 the current answers agree after the discussion; é5 was judged by one person, d/4 by two.
    grades = {(one.topic, one.docno): one.grade for one in contents.qrels}
    assert grades == {
        ("T1", "d#3"): 0, ("T1", "d1"): 2, ("T1", "d2"): 1, ("T2", "d/4"): 0, ("T2", "é5"): 1,
    }  # fmt: skip
    # Both graded four pairs; before the discussion they agreed, relevant or not, on d1 and d/4 of them.
    observed = next(one for one in contents.agreement if one.name == "observed")
    assert (observed.value, observed.n) == (0.5, 4)
    assert any(pool.undrawn for pool in contents.pools)


def test_runs_are_read_from_the_zip_one_by_one(sqlite_database: Database) -> None:
    content = exported(sqlite_database, *EVERYTHING)
    checked = check_release(io.BytesIO(content), source="r.zip", leaving={"runs"})
    assert checked.contents is not None
    assert [run for run in checked.contents.runs if run.content is not None] == []
    made = import_release(sqlite_database, checked.contents, files=checked.files)
    assert made.runs == sum(run.content is not None for run in read(content).runs) > 0
    assert released(sqlite_database, made.campaign.id, request_like(checked.contents)) == content


def test_the_next_release_keeps_the_pseudonyms(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        campaign = filled_campaign(db)
    filled_release(sqlite_database, campaign)
    with sqlite_database.reading() as db:
        before = dict(db.execute(select(AssessorRow.name, AssessorRow.pseudonym)).all())
    another = ReleaseRequest("1.1", rule_choice("majority"), seed=12)
    make_release(sqlite_database, campaign, another, now=RELEASED)
    with sqlite_database.reading() as db:
        assert dict(db.execute(select(AssessorRow.name, AssessorRow.pseudonym)).all()) == before
    assert None not in before.values()


def test_both_databases_give_the_same_bytes(sqlite_database: Database, postgresql_database: Database) -> None:
    one, other = (exported(each, *EVERYTHING) for each in (sqlite_database, postgresql_database))
    assert one == other


@pytest.mark.engines
def test_the_events_of_an_adaptive_pool_are_in_the_release_and_come_back(database: Database) -> None:
    with database.writing() as db:
        live = live_pool(db)
        for who, grade in (("Ada", 1), ("Ben", 0), ("Ada", None)):
            live.say(db, who, live.next(db, who) or "", grade)
        live.next(db, "Ben")
        replayed = pool_events(db, live.made.campaign.id, live.name)
        campaign, name = live.made.campaign.id, live.made.campaign.name
    request = ReleaseRequest("1.0", rule_choice("majority"), frozenset(Included), seed=3)
    content = released(database, campaign, request)
    delete_campaign(database, campaign, typed_name=name)
    contents = read(content)
    (pool,) = contents.pools
    assert [(one.number, one.happening, one.docno, one.relevant) for one in pool.events] == [
        (one.number, str(one.happening), one.docno, one.relevant) for one in replayed
    ]
    # Whoever judged says by which answer: here always the first about the pair.
    assert {one.entry for one in pool.events if one.happening == "judged"} == {1}
    made = import_release(database, contents)
    assert released(database, made.campaign.id, request_like(contents)) == content
    with database.reading() as db:
        again = pool_events(db, made.campaign.id, live.name)
    before, after = ([replace(one, assessor="", assessor_id=0) for one in each] for each in (replayed, again))
    assert after == before


def test_the_reasons_of_a_learner_are_in_the_release_and_come_back(sqlite_database: Database) -> None:
    with sqlite_database.writing() as db:
        live = learner_pool(db, budget=6, share=0.4, seed=1)
    rounds_of(sqlite_database, live)
    judge_all(sqlite_database, live, "Ada", "Ben")
    with sqlite_database.reading() as db:
        judged = pool_events(db, live.made.campaign.id, live.name)
    campaign, name = live.made.campaign.id, live.made.campaign.name
    request = ReleaseRequest("1.0", rule_choice("majority"), frozenset(Included), seed=3)
    content = released(sqlite_database, campaign, request)
    delete_campaign(sqlite_database, campaign, typed_name=name)
    contents = read(content)
    made = import_release(sqlite_database, contents)
    assert released(sqlite_database, made.campaign.id, request_like(contents)) == content
    with sqlite_database.reading() as db:
        again = pool_events(db, made.campaign.id, live.name)
        with pytest.raises(Conflict):  # the rankings themselves are not in a release
            replay_pool(db, made.campaign.id, live.name)
    assert {one.reason.origin for one in again if one.reason} == {"learner", "random"}
    assert [replace(one, assessor="") for one in again] == [replace(one, assessor="") for one in judged]


def test_originals_are_in_a_release_if_asked_for_and_come_back_with_it(sqlite_database: Database) -> None:
    # Without them their hashes alone are there, and only where these are part of the document's.
    without = read(exported(sqlite_database, Included.DOCUMENTS))
    assert {one.content for one in without.documents} == {None}
    assert [one.media_type for one in without.documents if one.original] == ["application/pdf"]
    content = exported(sqlite_database, Included.DOCUMENTS, Included.ORIGINALS)
    contents = read(content)
    kept = {one.docno: one.content for one in contents.documents if one.content is not None}
    assert set(kept.values()) == {b"%PDF-", b"<p>\xe9"}
    # Two documents have one page: its bytes are in the zip once.
    assert len(kept) > len(set(kept.values()))
    assert content.count(b"<p>\xe9") == 1
    made = import_release(sqlite_database, contents, slug="again").campaign
    with sqlite_database.reading() as db:
        for docno, whole in kept.items():
            assert original_bytes(db, made.id, docno).content == whole
        (page, *_) = (one for one in contents.documents if one.content == b"<p>\xe9")
        assert (page.address, page.charset, page.hashed) == ("http://x/", "latin-1", page.sha256)
    wrong = replace(request_like(contents), version="2.0", included=frozenset({Included.ORIGINALS}))
    with pytest.raises(InvalidInput):
        make_release(sqlite_database, made.id, wrong)
