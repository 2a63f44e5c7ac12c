"""What people do at the beginning of every browser test, and what the database then holds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from argon2 import PasswordHasher
from playwright.sync_api import Page

from workbench.demo.campaign import PEOPLE, make_demo
from workbench.storage.engine import Database
from workbench.storage.migrate import migrate
from workbench.workflow.people.accounts import Passwords

PASSWORD = "a sentence that is long enough"
# Cheap on purpose: what a password costs is tested elsewhere.
CHEAP = Passwords(PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))


@contextmanager
def stored(instance: Path) -> Iterator[Database]:
    """The database of an instance, migrated; closed at the end."""
    database = Database(f"sqlite:///{instance / 'workbench.sqlite3'}")
    try:
        migrate(database)
        yield database
    finally:
        database.close()


def demo_instance(folder: Path) -> Path:
    """An instance with the demo campaign, whose accounts have PASSWORD."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "workbench.sqlite3").write_bytes(_demo())
    return folder


@cache
def _demo() -> bytes:
    # Made once for all tests of a worker.
    with TemporaryDirectory() as folder:
        with stored(Path(folder)) as database, database.writing() as db:
            make_demo(db, {person.login: CHEAP.hash(PASSWORD) for person in PEOPLE})
        return (Path(folder) / "workbench.sqlite3").read_bytes()


def sign_in(page: Page, address: str, login: str, password: str = PASSWORD) -> None:
    """Sign in with the keyboard."""
    page.goto(f"{address}/sign-in")
    page.get_by_label("Login").fill(login)
    page.get_by_label("Password", exact=True).fill(password)
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "/sign-in" not in url)


def go_to(page: Page, tab: str) -> None:
    """Open a page of the campaign by its name in the menu of all pages, which every organiser's page has."""
    page.get_by_role("button", name="All pages").click()
    page.locator("#all-pages").get_by_role("link", name=tab, exact=True).click()
