"""The Python client against a server: a whole campaign without a browser, and what it does in trouble."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from urllib.request import Request, urlopen

import pytest
from flask import Flask
from sqlalchemy import func, select

from tests.api import API, token_of
from tests.builders import ALPHA, BETA, DOCNOS, run_text
from tests.cast import CHEAP
from tests.databases import opened_copy
from tests.servers import WholeAnswers, running_server, served_here
from tests.tree import ROOT
from workbench.client import ApiError, CampaignClient, Client, Transport, Unreachable, segment, to_frame
from workbench.help.manual import page_named
from workbench.releases.check import check_release
from workbench.storage.engine import Database
from workbench.storage.tables import CampaignRow
from workbench.web.requests import read_id
from workbench.workflow.campaigns.campaigns import LONGEST_GUIDELINES
from workbench.workflow.people.accounts import Account, create_account, create_first_account, prepare_account
from workbench.workflow.people.invitations import accept

NAMES = ("Olga", "Ada", "Ben", "Judith")
PASSWORD = "the tide comes twice"


@dataclass(frozen=True, slots=True)
class Served:
    """A server with its database, and a token for each account."""

    address: str
    database: Database
    accounts: dict[str, Account]
    tokens: dict[str, str]

    def client(self, name: str) -> Client:
        return Client(self.address, self.tokens[name])


def people(database: Database) -> tuple[dict[str, Account], dict[str, str]]:
    """Four accounts, of which Olga is the administrator, and a token of each."""
    accounts = {}
    for name in NAMES:
        new = prepare_account(login=name, name=name, password=PASSWORD, passwords=CHEAP)
        with database.writing() as db:
            make = create_first_account if name == "Olga" else create_account
            accounts[name] = make(db, new)
    return accounts, {name: token_of(database, account) for name, account in accounts.items()}


class LosesAnswers:
    """The application, whose answers to the first tries do not arrive: a 503 comes instead."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self.lost = 0

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        if not self.lost:
            return self._app(environ, start_response)
        self.lost -= 1
        list(self._app(environ, lambda *_: None))
        start_response("503 Service Unavailable", [("Content-Length", "0")])
        return []


@pytest.fixture
def lossy(app: Flask) -> LosesAnswers:
    return LosesAnswers(app)


@pytest.fixture
def served(sqlite_database: Database, lossy: LosesAnswers) -> Iterator[Served]:
    accounts, tokens = people(sqlite_database)
    with served_here(WholeAnswers(lossy)) as address:  # type: ignore[arg-type]  # it is called as one
        yield Served(address, sqlite_database, accounts, tokens)


def files(folder: Path) -> Path:
    """Topics, documents and two runs, of which one can be read."""
    topics = [{"id": "T1", "title": "tides"}, {"id": "T2", "title": "nets"}]
    documents = [{"id": docno, "text": f"Text of {docno}"} for docno in DOCNOS]
    for name, lines in (("topics.jsonl", topics), ("documents.jsonl", documents)):
        (folder / name).write_text("".join(json.dumps(one) + "\n" for one in lines))
    (folder / "alpha.run").write_bytes(run_text("alpha", ALPHA))
    (folder / "beta.run").write_bytes(run_text("beta", BETA))
    (folder / "broken.run").write_text("T1 Q0 d1 1 broken\n")
    return folder


def join(server: Served, campaign: CampaignClient, name: str, role: str) -> CampaignClient:
    """Have somebody invited, who accepts; gives the campaign as this person's program sees it."""
    (invited,) = campaign.call("people.invite", people=[name], role=role)["invitations"]
    with server.database.writing() as db:
        accept(db, invited["link"].rpartition("/")[2], server.accounts[name].id)
    return server.client(name).campaign(campaign.slug)


def judge_everything(mine: CampaignClient, grades: Callable[[str, str], int]) -> int:
    """Judge all own assignments; returns how many documents were judged."""
    judged = 0
    for one in list(mine.call("judging.index")):
        left = mine.call("judging.show", assignment_id=one["assignment"])["left"]
        for document in mine.call("judging.documents", assignment_id=one["assignment"], docno=left):
            grade = grades(one["topic"], document["docno"])
            receipt = mine.judge(one["assignment"], document["docno"], grade, shown_sha256=document["sha256"])
            assert receipt["outcome"] == "recorded", receipt
            judged += 1
    return judged


def whole_campaign(server: Served, folder: Path) -> None:
    """From topics to a release, by the client alone."""
    campaign = server.client("Olga").create_campaign("Harbour tides", scale="four-grades")
    assert campaign.load_topics(folder / "topics.jsonl")["files"][0]["added"] == 2
    with pytest.raises(ApiError) as refused:
        campaign.add_run(folder / "broken.run")
    assert (refused.value.status, refused.value.codes) == (422, ("columns",))
    for name in ("alpha", "beta"):
        assert campaign.check_run(folder / f"{name}.run")["ok"]
        campaign.add_run(folder / f"{name}.run", kind="automatic")
    assert [run["tag"] for run in campaign.call("runs.index")] == ["alpha", "beta"]
    # Six pairs, by hand in `tests.builders.pooled_campaign`.
    pool = campaign.make_pool(parameters={"depth": 2})
    assert (pool["pairs"], pool["state"]) == (6, "open")
    loaded = campaign.load_documents(folder / "documents.jsonl", pooled=True)
    assert (loaded["files"][0]["added"], loaded["missing"]) == (3, [])
    ada, ben = (join(server, campaign, name, "assessor") for name in ("Ada", "Ben"))
    judith = join(server, campaign, "Judith", "adjudicator")
    assert campaign.call("assignments.add", pool=pool["name"], per_topic=2)["added"] == 4
    # They agree on five of six pairs.
    assert judge_everything(ada, lambda _, docno: 2 if docno in {"d1", "d2"} else 0) == 6
    assert judge_everything(ben, lambda topic, docno: 2 if (topic, docno) in SEEN_BY_BEN else 0) == 6
    (dispute,) = judith.call("disputes.index")["pairs"]
    assert (dispute["topic"], dispute["doc"]) == ("T1", "d2")
    assert judith.decide("T1", "d2", 2, reason="The table is in it.")["recorded"]
    agreement = campaign.agreement()
    observed = next(one for name, one in agreement["coefficients"].items() if name == "observed")
    assert observed["value"] == pytest.approx(5 / 6)
    assert len(campaign.qrels("adjudicated").splitlines()) == 6
    # By hand: alpha has d1, d2 of T1 first (1) and d1 of T2 second of two relevant (1/4); beta has d2 first
    # and d1 third of T1 ((1 + 2/3) / 2) and d2 of T2 second (1/4).
    scores = campaign.scores("AP(rel=2)", rule="adjudicated")
    assert [one["run"] for one in scores] == ["alpha", "beta"]
    found = [one["measures"]["AP(rel=2)"]["value"] for one in scores]
    assert found == pytest.approx([0.625, (5 / 6 + 1 / 4) / 2])
    made = campaign.call("releases.make", version="1.0", rule="adjudicated", licence="CC0-1.0")
    size = campaign.download_release("1.0", folder / "release.zip")
    assert (size, made["lines"]) == (made["size"], 6)
    with (folder / "release.zip").open("rb") as stream:
        assert check_release(stream, source="release.zip").whole
    assert campaign.call("releases.change_state", version="1.0", state="public")["public"]
    assert campaign.call("campaigns.change_state", state="archived")["archived"]
    with pytest.raises(ApiError) as archived:
        campaign.call("campaigns.change", name="Ebb")
    assert archived.value.status == 409


SEEN_BY_BEN = {("T1", "d1"), ("T2", "d1"), ("T2", "d2")}


@pytest.mark.slow
def test_a_campaign_from_topics_to_release_needs_no_browser(migrated_sqlite: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "workbench", "serve", "--port", "0", "--instance", str(tmp_path)]
    with opened_copy(migrated_sqlite, tmp_path) as database:
        accounts, tokens = people(database)
        with running_server(command, log=tmp_path / "log", folder=ROOT) as address:
            whole_campaign(Served(address, database, accounts, tokens), files(tmp_path))


def test_an_answer_that_is_lost_is_asked_for_again_and_nothing_is_done_twice(
    served: Served, lossy: LosesAnswers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workbench.client.PAUSE_SECONDS", 0)
    lossy.lost = 2
    sender = Transport(served.address, served.tokens["Olga"])
    assert sender.call("campaigns.create", {"name": "Estuary"})["slug"] == "estuary"
    with served.database.reading() as db:
        assert db.scalar(select(func.count()).select_from(CampaignRow)) == 1
    lossy.lost = 4
    with pytest.raises(Unreachable):
        sender.get("/campaigns")


@pytest.mark.parametrize("letter", ["ü", "🌊"])
def test_guidelines_may_be_as_long_in_any_script(served: Served, letter: str) -> None:
    sent = {"name": "Estuary", "guidelines": letter * LONGEST_GUIDELINES}
    # With escapes, as most programs send it: up to twelve bytes for each letter.
    request = Request(f"{served.address}{API}/campaigns", json.dumps(sent).encode())
    request.add_header("Authorization", f"Bearer {served.tokens['Olga']}")
    request.add_header("Content-Type", "application/json")
    with urlopen(request) as answer:
        assert json.load(answer)["guidelines"] == sent["guidelines"]
    mine = served.client("Olga").campaign("estuary")
    assert mine.call("campaigns.change", guidelines=sent["guidelines"])["guidelines"] == sent["guidelines"]
    with pytest.raises(ApiError) as refused:
        mine.call("campaigns.change", guidelines=sent["guidelines"] + letter)
    assert (refused.value.status, refused.value.codes) == (422, ("string-too-long",))


def test_half_of_a_character_is_answered_and_not_sent_as_another(served: Served) -> None:
    with pytest.raises(ApiError) as refused:
        served.client("Olga").create_campaign("Tide \ud800")
    assert refused.value.status == 422


def test_the_example_of_the_help_runs(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    examples = re.findall(r"```python\n(.*?)```", page_named("api").text, re.DOTALL)
    files(tmp_path)
    for there, named in (("alpha", "bm25"), ("beta", "dense")):
        (tmp_path / f"{there}.run").rename(tmp_path / f"{named}.run")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ADDRESS", served.address)
    monkeypatch.setenv("TOKEN", served.tokens["Olga"])
    names: dict[str, Any] = {}
    first, *others = (compile(example, "help/api.md", "exec") for example in examples)
    exec(first, names)
    # To depth 3: T1 has d1, d2, d#3 and d/4, T2 has d/4, d1, é5 and d2.
    assert capsys.readouterr().out.splitlines()[0] == "8 pairs from alpha, beta"
    # One judgment: T1's d1 is relevant, which alpha has first and beta third.
    (tmp_path / "one.tsv").write_text("topic\tdoc\tassessor\tgrade\nT1\td1\tIda\t3\n")
    names["campaign"].load_judgments(tmp_path / "one.tsv")
    for example in others:
        exec(example, names)
    # By hand: the gain of first place is 1, that of third 1 / lb 4 = 1/2.
    assert [line.split()[:2] for line in capsys.readouterr().out.splitlines()] == [
        ["alpha", "1.0"],
        ["beta", "0.5"],
    ]
    assert names["campaign"].call("disputes.rules")["difference"] == "line"


def test_ids_in_paths_come_back_as_they_were() -> None:
    for identifier in ("d/4", "100%", "%2F", "a b", "é", "?x=1#y"):
        # As the server reads a segment: decoded by it once, and by `read_id` again.
        assert read_id(unquote(segment(identifier))) == identifier


def test_a_client_shows_no_token_and_wants_an_address() -> None:
    assert "wbt_secret" not in repr(Client("http://127.0.0.1:9", "wbt_secret"))
    with pytest.raises(ValueError, match="https://"):
        Client("judge.example.org", "wbt_secret")


def test_rows_become_a_data_frame() -> None:
    frame = to_frame([{"tag": "alpha", "lines": 7}, {"tag": "beta", "lines": 6}], "pandas")
    assert list(frame.columns) == ["tag", "lines"]
    assert frame["lines"].tolist() == [7, 6]
    with pytest.raises(ImportError):
        to_frame([], "spreadsheet")


def test_importing_the_client_imports_no_server() -> None:
    program = "import sys, workbench.client; print(*sorted({one.partition('.')[0] for one in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert {"flask", "sqlalchemy", "pydantic", "numpy"}.isdisjoint(done.stdout.split())
