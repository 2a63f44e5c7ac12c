"""Texts are stored compressed and read as they were, on both databases."""

from __future__ import annotations

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import insert, select, type_coerce, types

from workbench.records import BINARY
from workbench.storage.engine import Database
from workbench.storage.tables import DocumentRow
from workbench.storage.tables.columns import COMPRESSED, DAMAGED, PLAIN, pack_text, unpack_text
from workbench.workflow.campaigns.campaigns import create_campaign

LONG = "Low tide at noon, high tide at six. " * 40


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_text_is_unpacked_as_it_was(written: str) -> None:
    stored = pack_text(written)
    assert unpack_text(stored) == written
    assert len(stored) <= len(written.encode()) + 1


def test_a_short_text_stays_plain_a_long_one_gets_short_and_damage_is_seen() -> None:
    # Ten bytes of header and checksum make a short one longer.
    assert pack_text("ebb") == PLAIN + b"ebb"
    assert pack_text(LONG) == COMPRESSED + zlib.compress(LONG.encode())
    assert len(pack_text(LONG)) < len(LONG) / 10
    for damaged in (b"", b"x", COMPRESSED + b"x", pack_text(LONG)[:-5], PLAIN + b"\xff"):
        assert unpack_text(damaged) == DAMAGED


@pytest.mark.engines
def test_the_database_holds_what_is_packed(database: Database) -> None:
    with database.writing() as db:
        campaign = create_campaign(db, name="Harbour", slug="harbour", scale=BINARY)
        row = {"campaign_id": campaign.id, "docno": "d1", "title": "", "text": LONG, "sha256": "0" * 64}
        db.execute(insert(DocumentRow), [row])
    with database.reading() as db:
        assert db.scalars(select(DocumentRow.text)).one() == LONG
        assert db.scalars(select(type_coerce(DocumentRow.text, types.LargeBinary))).one() == pack_text(LONG)
