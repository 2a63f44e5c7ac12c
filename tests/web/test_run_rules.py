"""The rules for runs and the collection's list, by page."""

from __future__ import annotations

import gzip
import re
from html import unescape

from flask.testing import FlaskClient

from tests.builders import run_text
from tests.uploads import check_files, text_of, upload
from workbench.formats.run_rules import CODES, RuleSet

RULES = "/c/harbour/runs/rules"
RUN = run_text("fine", {"T1": ("d1", "d2", "elsewhere"), "T2": ("d2", "d1")})


def test_the_settings_lead_to_the_rules(olga: FlaskClient) -> None:
    assert RULES in olga.get("/c/harbour/settings").text
    page = olga.get(RULES).text
    assert all(f'name="rule_set" value="{one}"' in page for one in RuleSet)
    assert all(code.words[1:] in unescape(page) for code in CODES.values())


def test_a_limit_and_strict_rules_refuse_a_run(olga: FlaskClient) -> None:
    olga.post(RULES, data={"max_per_topic": "2", "rule_set": "strict"})
    page = olga.get(RULES).text
    assert 'value="2"' in page
    assert re.search(r'value="strict"[^>]*checked', page)
    said = text_of(olga.get(check_files(olga, upload("other.txt", RUN))).text)
    assert 'topic "T1" has 3 documents, more than 2' in said
    assert "1 refused" in said


def test_a_limit_that_is_none_is_said_at_its_field(olga: FlaskClient) -> None:
    for typed in ("many", "0", "-3", "99999999999"):
        answer = olga.post(RULES, data={"max_per_topic": typed, "rule_set": "usual"})
        assert answer.status_code == 422
        assert 'aria-describedby="max_per_topic-error-1 max_per_topic-hint"' in answer.text
        assert f'value="{typed}"' in answer.text
    assert olga.post(RULES, data={"max_per_topic": "", "rule_set": "usual"}).status_code == 303
    assert olga.post(RULES, data={"max_per_topic": "3", "rule_set": "easy"}).status_code == 422


def test_a_list_of_docnos_is_shown_held_against_runs_replaced_and_removed(olga: FlaskClient) -> None:
    answer = olga.post(f"{RULES}/list", data={"files": [upload("ids.gz", gzip.compress(b"d1\nd2\nd1\n"))]})
    assert answer.status_code == 303
    page = text_of(olga.get(RULES).text)
    assert "2 documents from ids.gz" in page
    # printf 'd1\nd2\n' | sha256sum
    assert "58b4e659870a35e0bd2d2562fbec02f7d3d41429d63c27dba88e4b5f4fd74dbf" in page
    said = text_of(olga.get(check_files(olga, upload("fine.txt", RUN))).text)
    assert '3 3 document "elsewhere" is not in the collection' in said
    olga.post(f"{RULES}/list", data={"files": [upload("more", "d1\nd2\nelsewhere\n")]})
    assert "1 good" in text_of(olga.get(check_files(olga, upload("fine.txt", RUN))).text)
    olga.post(f"{RULES}/list", data={"files": [upload("one", "d1\n")]})
    olga.post(f"{RULES}/list/remove")
    assert "1 good" in text_of(olga.get(check_files(olga, upload("fine.txt", RUN))).text)
    assert olga.post(f"{RULES}/list/remove").status_code == 404


def test_a_list_that_is_none_is_refused(olga: FlaskClient) -> None:
    for content in (b"", b"PK\x03\x04"):
        answer = olga.post(f"{RULES}/list", data={"files": [upload("ids", content)]})
        assert answer.status_code == 422
        assert 'id="refusal"' in answer.text
