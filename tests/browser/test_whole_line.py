"""The whole line by pages: from the first visit to a scored run."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Request, expect

from tests.browser.conftest import Server
from tests.browser.people import PASSWORD, go_to, sign_in
from tests.builders import ALPHA, BETA, DOCNOS, run_text
from tests.databases import new_postgresql_database
from tests.servers import running_server
from tests.support import Oracle, shared
from tests.tree import ROOT

metrics = Oracle("sklearn.metrics")

LiveServer = Callable[..., Server]
NewPage = Callable[..., Page]

# What each will answer, by topic and docno; the pool of depth 2 over alpha and beta has these six pairs.
ADA = {("T1", "d/4"): 0, ("T1", "d1"): 1, ("T1", "d2"): 1, ("T2", "d/4"): 1, ("T2", "d1"): 0, ("T2", "d2"): 0}
BEN = {("T1", "d/4"): 1, ("T1", "d1"): 1, ("T1", "d2"): 0, ("T2", "d/4"): 1, ("T2", "d1"): 1, ("T2", "d2"): 0}


def first_visit(page: Page, server: Server) -> None:
    """The first visitor becomes the administrator."""
    page.goto(server.address)
    page.get_by_label("Your name").fill("Olga Ibarra")
    page.get_by_label("Login name").fill("olga")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Repeat the password").fill(PASSWORD)
    page.get_by_role("button", name="Create account").click()
    expect(page.get_by_role("heading", level=1, name="campaigns")).to_be_visible()


def load(page: Page, tab: str, label: str, files: list[Path], button: str) -> None:
    """Send files on one of the campaign's pages."""
    go_to(page, tab)
    page.get_by_label(label).set_input_files(files)
    page.get_by_role("button", name=button).click()


def keep_runs(page: Page) -> None:
    """Add the good ones of the files that were checked."""
    page.get_by_role("button", name=re.compile("^Add the (selected )?runs?")).click()
    expect(page.locator(".notice").filter(has_text=re.compile("added\\."))).to_be_visible()


def invite(page: Page, *names: str) -> dict[str, str]:
    """Make invitations for assessors; gives their links by name."""
    go_to(page, "People")
    page.locator("#people").fill("\n".join(names))
    page.get_by_role("button", name="Create links").click()
    return {name: page.get_by_label(f"Invitation link for {name}").input_value() for name in names}


def join(page: Page, link: str, name: str) -> None:
    """Follow an invitation and make an account."""
    page.goto(link)
    page.get_by_label("Your name").fill(name)
    page.get_by_label("Login name").fill(name.casefold())
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Repeat the password").fill(PASSWORD)
    page.get_by_role("button", name="Create account and join").click()
    expect(page.get_by_role("heading", name="My topics")).to_be_visible()


def judge_everything(page: Page, server: Server, name: str, wanted: dict[tuple[str, str], int]) -> None:
    """Sign in and judge every assigned pair with one key each."""
    sign_in(page, server.address, name.casefold())
    page.goto(f"{server.address}/c/harbour/judge")
    for topic in ("T1", "T2"):
        page.get_by_role("row").filter(has_text=topic).get_by_role("link").last.click()
        expect(page.locator("#document")).to_be_focused()
        for _ in range(3):
            before = page.locator("#document .strip .mono").inner_text()
            page.keyboard.press(str(wanted[topic, before]))
            expect(
                page.locator("#document .strip .mono", has_text=re.compile(f"^{re.escape(before)}$"))
            ).to_have_count(0)
        expect(page.get_by_role("heading", name="Every document has an answer")).to_be_visible()
        expect(page.locator("#light-text")).to_have_text("saved")
        page.get_by_role("link", name="My topics").first.click()


def files_of_the_harbour(folder: Path) -> dict[str, Path]:
    """Topics, documents and two runs as files."""
    files = {name: folder / name for name in ("topics.tsv", "docs.jsonl", "alpha.txt", "beta.txt")}
    files["topics.tsv"].write_text("T1\ttides\nT2\tnets\n", encoding="utf-8")
    documents = [json.dumps({"id": docno, "title": f"Title of {docno}", "text": "Text."}) for docno in DOCNOS]
    files["docs.jsonl"].write_text("\n".join(documents), encoding="utf-8")
    files["alpha.txt"].write_bytes(run_text("alpha", ALPHA))
    files["beta.txt"].write_bytes(run_text("beta", BETA))
    return files


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def server_on(request: pytest.FixtureRequest, live_server: LiveServer, tmp_path: Path) -> Iterator[Server]:
    """The site on each kind of database; with PostgreSQL in a process of its own, ended before that."""
    if request.param == "sqlite":
        yield live_server()
        return
    log, instance = tmp_path / "server.log", tmp_path / "instance"
    with new_postgresql_database(request.getfixturevalue("postgresql_url")) as url:
        command = [sys.executable, "-m", "workbench", "serve", "--port", "0", "--database", url]
        environment = {"WORKBENCH_INSTANCE": str(instance)}
        with running_server(command, log=log, folder=ROOT, environment=environment) as address:
            yield Server(address, instance)


def test_from_the_first_visit_to_a_scored_run(
    page: Page, new_page: NewPage, server_on: Server, tmp_path: Path
) -> None:
    server = server_on
    files = files_of_the_harbour(tmp_path)
    first_visit(page, server)
    page.get_by_role("link", name="New campaign").first.click()
    page.get_by_label("Name").first.fill("Harbour")
    page.get_by_label("Binary").check()
    page.get_by_role("button", name="Create campaign").click()
    expect(page.get_by_role("heading", name="Set up the campaign")).to_be_visible()

    load(page, "Topics", "Topic files", [files["topics.tsv"]], "Load topics")
    load(page, "Documents", "Document files", [files["docs.jsonl"]], "Load documents")
    load(page, "Runs", "Run files", [files["alpha.txt"], files["beta.txt"]], "Check the files")
    keep_runs(page)
    go_to(page, "Pools")
    page.locator("#depth").fill("2")
    page.get_by_role("button", name="Save as draft").click()
    page.get_by_role("link", name="Open for judging").last.click()
    page.get_by_role("button", name="Open for judging").click()
    # By hand in tests/builders.py: six pairs, three quarters of the largest possible eight.
    expect(page.get_by_role("main")).to_contain_text("75")

    links = invite(page, "Ada", "Ben")
    for name, link in links.items():
        join(new_page(), link, name)
    go_to(page, "Assignments")
    page.get_by_label("Assessors per topic").fill("2")
    page.get_by_role("button", name="Assign", exact=True).click()
    expect(page.get_by_text("4 assignments added")).to_be_visible()

    judge_everything(new_page(), server, "Ada", ADA)
    judge_everything(new_page(), server, "Ben", BEN)

    # By hand: both relevant (T1, d1), (T2, d/4); only Ada (T1, d2); only Ben (T1, d/4), (T2, d1); neither
    # (T2, d2). Observed 3/6. Unpooled: Ada 3/6, Ben 4/6 relevant, so P(E) = 3/6 x 4/6 + 3/6 x 2/6 = .5 and
    # kappa 0. Pooled: 7/12 relevant, P(E) = 49/144 + 25/144 = .5139, kappa (.5 - .5139) / .4861 = -.0286.
    go_to(page, "Agreement")
    page.get_by_role("navigation", name="Agreement").get_by_role("link", name="Assessors").click()
    page.get_by_role("link", name=re.compile("Ada.*Ben")).first.click()
    kappas = page.get_by_role("region", name="Coefficients")
    expect(kappas.get_by_role("row", name=re.compile("^Pooled kappa"))).to_contain_text(
        re.compile(r"[-−]0\.029.*\b6\b\s*0\.500\s*0\.514", re.DOTALL)
    )
    expect(kappas.get_by_role("row", name=re.compile("^Unpooled kappa"))).to_contain_text(
        re.compile(r"0\.000.*\b6\b\s*0\.500\s*0\.500", re.DOTALL)
    )

    go_to(page, "Qrels")
    page.get_by_text(re.compile(r"^\d+ other rules")).click()
    page.get_by_role("radio", name=re.compile("^Any")).check()
    page.get_by_role("button", name="Show").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download qrels").click()
    assert download.value.path().read_bytes() == (
        b"T1 0 d/4 1\nT1 0 d1 1\nT1 0 d2 1\nT2 0 d/4 1\nT2 0 d1 1\nT2 0 d2 0\n"
    )

    # AP by hand: alpha has d1, d2 first of 3 relevant in T1: 2/3, and d/4, d1 first of 2 in T2: 1. Beta has
    # d2, d/4, d1 of 3: 1, and of T2 only d/4 at rank 1: 1/2.
    go_to(page, "Scores")
    page.locator("details.choosing > summary").click()
    page.get_by_label("Measures").fill("AP")
    page.get_by_label("Consensus rule of the qrels").select_option("any")
    page.get_by_role("button", name="Score").click()
    scores = page.get_by_role("region", name="Leaderboard")
    expect(scores.get_by_role("row", name=re.compile("alpha"))).to_contain_text("0.8333")
    expect(scores.get_by_role("row", name=re.compile("beta"))).to_contain_text("0.7500")


class Counted:
    """The clicks and page loads of a person, from now on; each way of choosing files counts as a click."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self.loads = self.chosen = 0
        page.context.add_init_script(COUNT_CLICKS)
        page.reload()
        page.on("request", self._count)

    def _count(self, request: Request) -> None:
        # What a redirect leads to is the page of the click that sent the form.
        if request.is_navigation_request() and request.frame == self._page.main_frame:
            self.loads += request.redirected_from is None

    def choose(self, label: str, files: list[Path]) -> None:
        """Choose files, or drop them."""
        self._page.get_by_label(label).set_input_files(files)
        self.chosen += 1

    @property
    def clicks(self) -> int:
        """How often something was clicked on."""
        return self.chosen + int(self._page.evaluate("Number(sessionStorage.clicks ?? 0)"))


COUNT_CLICKS = """
    addEventListener("click", (event) => {
        if (event.isTrusted) sessionStorage.clicks = Number(sessionStorage.clicks ?? 0) + 1;
    }, true);
"""


@pytest.mark.slow
def test_cystic_fibrosis_by_pages(
    page: Page, new_page: NewPage, live_server: LiveServer, tmp_path: Path
) -> None:
    data = shared("data", "cf")
    server = live_server()
    first_visit(page, server)
    main = page.get_by_role("main")
    page.get_by_role("link", name="New campaign").first.click()
    page.get_by_label("Name").first.fill("Cystic fibrosis")
    # The scale of the four assessors: 0, 1 and 2.
    page.get_by_role("radio", name=re.compile("^Three grades")).check()
    page.get_by_role("button", name="Create campaign").click()
    expect(page.get_by_role("heading", name="Set up the campaign")).to_be_visible()

    # Everything at once: a hundred topics, ten runs and 1,239 documents are recognised by their content.
    counted = Counted(page)
    runs = sorted((data / "runs_generated").glob("*.gz"))
    counted.choose("Topics, runs and documents", [data / "docs.jsonl", *runs, data / "topics.jsonl"])
    expect(main).to_contain_text("10 ready", timeout=60_000)
    expect(main).to_contain_text("1,239 documents")
    page.get_by_role("button", name="Add 12 files").click()
    expect(main).to_contain_text("Added: 100 topics, 1,239 documents, 10 runs.", timeout=60_000)
    page.locator(".notice").get_by_role("link", name="Make a pool").click()
    page.locator("#depth").fill("20")
    page.get_by_role("button", name="Save as draft").click()
    page.locator(".notice").get_by_role("link", name="Open for judging").click()
    page.get_by_role("button", name="Open for judging").click()
    # The number of lines that `workbench pool --depth 20` prints for the same ten files.
    expect(main).to_contain_text("6,060")
    for name, link in invite(page, "Ada", "Ben").items():
        join(new_page(), link, name)
    go_to(page, "Assignments")
    page.get_by_role("button", name="Assign", exact=True).click()
    expect(main).to_contain_text("100 assignments added")
    assert counted.clicks <= 15
    assert counted.loads <= 12
    go_to(page, "Set up")
    expect(main).to_contain_text("Ready: assessors can judge.")

    load(page, "Judgments", "Files", [data / "judgments.tsv"], "Import")
    expect(page.get_by_role("main")).to_contain_text("4,819")

    first, second = _grades(data / "qrels.A1_REW.txt"), _grades(data / "qrels.A4_JBW.txt")
    go_to(page, "Agreement")
    page.get_by_role("navigation", name="Agreement").get_by_role("link", name="Assessors").click()
    page.get_by_role("link", name=re.compile("A1_REW.*A4_JBW")).first.click()
    kappas = page.get_by_role("region", name="Coefficients")
    cohen = metrics.cohen_kappa_score([grade > 0 for grade in first], [grade > 0 for grade in second])
    both = [(grade > 0) for grade in first + second]
    share = sum(both) / len(both)
    expected = share**2 + (1 - share) ** 2
    observed = sum((a > 0) == (b > 0) for a, b in zip(first, second, strict=True)) / len(first)
    pooled = (observed - expected) / (1 - expected)
    expect(kappas.get_by_role("row", name=re.compile("^Unpooled kappa"))).to_contain_text(_number(cohen))
    expect(kappas.get_by_role("row", name=re.compile("^Pooled kappa"))).to_contain_text(_number(pooled))

    go_to(page, "Qrels")
    page.get_by_role("radio", name=re.compile("^One assessor")).check()
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("region", name="Lines by grade").get_by_role("row").last).to_contain_text("4,819")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download qrels").click()
    given = (data / "qrels.A1_REW.txt").read_bytes().splitlines()
    assert sorted(download.value.path().read_bytes().splitlines()) == sorted(given)

    go_to(page, "Scores")
    page.locator("details.choosing > summary").click()
    page.get_by_label("Measures").fill("AP nDCG@10")
    page.get_by_label("Consensus rule of the qrels").select_option("any")
    page.get_by_role("button", name="Score").click()
    scores = page.get_by_role("region", name="Leaderboard")
    expect(scores.get_by_role("row")).to_have_count(11)


def _grades(path: Path) -> list[int]:
    lines = sorted(path.read_text(encoding="utf-8").splitlines(), key=lambda line: line.rsplit(" ", 1)[0])
    return [int(line.rsplit(" ", 1)[1]) for line in lines]


def _number(value: float) -> re.Pattern[str]:
    sign = "[-−]" if value < 0 else ""
    return re.compile(sign + re.escape(f"{abs(value):.3f}"))
