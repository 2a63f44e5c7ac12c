"""`workbench help`: the manual in the terminal."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.cli.executable import workbench
from workbench.help.manual import Page, pages


def test_without_a_topic_all_pages_are_listed() -> None:
    done = workbench("help")
    assert done.returncode == 0
    lines = done.stdout.decode().splitlines()
    assert [line.split("\t")[0] for line in lines[1:]] == [page.name for page in pages()]


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_a_page_is_printed_as_markdown_where_the_output_is_no_terminal(page: Page) -> None:
    done = workbench("help", page.name)
    assert done.returncode == 0
    assert done.stdout.decode().startswith(f"# {page.title}\n\n")


def test_a_terminal_gets_the_page_laid_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.cli.help.to_terminal", lambda: True)
    shown = workbench("help", "qrels").stdout.decode()
    assert "# Qrels" not in shown
    assert "| --- |" not in shown
    assert "workbench campaign qrels" in shown


def test_an_unknown_topic_is_one_error_with_similar_topics() -> None:
    done = workbench("help", "strategy")
    assert done.returncode == 1
    assert done.stdout == b""
    (line,) = done.stderr.decode().splitlines()
    assert "strategies" in line


def test_a_search_lists_sections_and_their_pages() -> None:
    done = workbench("help", "--search", "pooled kappa")
    assert done.returncode == 0
    assert "agreement" in {line.split("\t")[0] for line in done.stdout.decode().splitlines()}


def test_a_search_that_finds_nothing_fails() -> None:
    done = workbench("help", "--search", "zzzzz")
    assert (done.returncode, done.stdout) == (1, b"")


def test_a_topic_and_a_search_do_not_go_together() -> None:
    assert workbench("help", "qrels", "--search", "kappa").returncode == 2


def test_the_manual_needs_no_web_and_its_plain_pages_no_database() -> None:
    program = (
        "import sys\n"
        "from workbench.help.manual import page_named\n"
        "from workbench.help.search import terminal_markdown\n"
        "import workbench.help.search, workbench.help.generated\n"
        "terminal_markdown(page_named('qrels'))\n"
        "print(sorted({'flask', 'sqlalchemy', 'numpy'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
