"""What the tests of the organiser's pages send and follow: files of a form, links of a page."""

from __future__ import annotations

import html
import io
import re
from collections.abc import Mapping, Sequence

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.builders import run_text


def upload(name: str, content: str | bytes) -> tuple[io.BytesIO, str]:
    """A file as a form sends it."""
    return io.BytesIO(content.encode() if isinstance(content, str) else content), name


def upload_runs(client: FlaskClient, **runs: Mapping[str, Sequence[str]]) -> None:
    """Add runs by tag on the page, as the organiser does."""
    keep_all(
        client, check_files(client, *(upload(f"{tag}.txt", run_text(tag, r)) for tag, r in runs.items()))
    )


def check_files(client: FlaskClient, *files: tuple[io.BytesIO, str], campaign: str = "harbour") -> str:
    """Have files checked as the form of the runs page does; gives the address of what was found."""
    answer = client.post(f"/c/{campaign}/runs/checked", data={"files": list(files)})
    assert answer.status_code == 303, answer.text
    return answer.location


def keep_all(client: FlaskClient, address: str) -> TestResponse:
    """Keep every good file of a batch, as its button does."""
    ticked = re.findall(r'name="file" value="(\d+)" checked', client.get(address).text)
    return client.post(f"{address}/keep", data={"file": ticked})


def links(page: str, part: str) -> list[str]:
    """The addresses in a page's content, not its navigation, that hold a part."""
    content = page.partition("<main")[2] or page
    return [link for link in map(html.unescape, re.findall(r'href="([^"]*)"', content)) if part in link]


def table(rows: list[tuple[str, str, str, str]]) -> str:
    """A file of judgments from (topic, docno, assessor, grade)."""
    return "\n".join("\t".join(row) for row in [("topic", "doc", "assessor", "grade"), *rows]) + "\n"


def import_judgments(
    client: FlaskClient, rows: list[tuple[str, str, str, str]], **fields: str
) -> TestResponse:
    """Import judgments into the campaign of the cast as a form does."""
    return client.post(
        "/c/harbour/judgments",
        data={"kind": "table", "files": [upload("judgments.tsv", table(rows))], **fields},
    )


def notices_in(page: str) -> list[str]:
    """The kinds of the notices on a page: `good`, `fair` or `poor`."""
    return re.findall(r'<p class="notice (\w+)"', page)


def text_of(page: str) -> str:
    """What a reader of the page reads: no tags, single spaces."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())
