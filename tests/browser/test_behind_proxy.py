"""The whole site behind nginx with TLS, under a path: nothing is asked for beside that path."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, Request, Response, expect

from tests.browser.conftest import Complaints, Site
from tests.browser.full_campaign import FullCampaign, full_campaign
from tests.browser.people import PASSWORD, demo_instance, stored
from tests.browser.test_accessibility import shows
from tests.browser.test_openid import PROVIDER, agree
from tests.browser.walking import looks
from tests.deployment.programs import free_port, nginx
from tests.openid import CLIENT, NAME, SECRET, RunningProvider
from tests.servers import running_server
from tests.tree import ROOT
from workbench.deployment.papers import Deployment
from workbench.web.requests import HOST_PREFIX
from workbench.workflow.openid.identities import ProviderIdentity, link_identity
from workbench.workflow.people.accounts import account_by_login

pytestmark = pytest.mark.slow
PREFIX = "/trec/workbench"
# Addresses in any attribute of a page that lead past the prefix, seen or not.
BESIDE = """(prefix) => [...document.querySelectorAll("*")].flatMap((one) => [...one.attributes]
  .filter(({ value }) => /^\\/[a-z]/.test(value) && !value.startsWith(`${prefix}/`))
  .map(({ name, value }) => `${one.tagName} ${name}=${value.slice(0, 80)}`))"""


@pytest.fixture
def full() -> FullCampaign:
    return full_campaign()


@pytest.fixture
def address(full: FullCampaign, tmp_path: Path) -> Iterator[str]:
    """The address of the site behind the proxy."""
    port = free_port()
    environment = {
        "WORKBENCH_PREFIX": PREFIX,
        "WORKBENCH_PROXIES": "1",
        "WORKBENCH_HOSTS": "localhost",
    }
    instance = full.write(tmp_path / "full")
    command = [sys.executable, "-m", "workbench", "serve", "--port", str(port), "--instance", str(instance)]
    log = tmp_path / "server.log"
    with (
        running_server(command, log=log, folder=ROOT, environment=environment),
        nginx(tmp_path, Deployment(host="localhost", prefix=PREFIX, port=port)) as address,
    ):
        yield address


def enter(context: BrowserContext, address: str, full: FullCampaign, who: str) -> None:
    """Be somebody from now on, by the cookie that browsers take over https only."""
    context.clear_cookies()
    if who:
        name, value = full.cookie(who)
        context.add_cookies(
            [
                {
                    "name": HOST_PREFIX + name,
                    "value": value,
                    "domain": urlsplit(address).hostname,
                    "path": "/",
                    "secure": True,
                }
            ]
        )


def test_every_page_works_and_leads_nowhere_beside_the_prefix(
    address: str,
    full: FullCampaign,
    sites: Callable[[int], Site],
    new_context: Callable[..., BrowserContext],
    complaints: Complaints,
) -> None:
    complaints.expect("422.*/scores")  # the long campaign has no judgments to score by
    complaints.expect("(inline style|Blocked script).*/files/")  # of the browser, which shows a picture alone
    context = new_context(ignore_https_errors=True)
    page, who = context.new_page(), None
    asked: set[str] = set()
    page.on("request", lambda request: asked.add(request.url))
    found: list[str] = []
    for look in looks(sites(0).app, full):
        if look.endpoint == "metrics.index":
            continue  # never answered through a proxy
        if look.who != who:
            who = look.who
            page.goto("about:blank")  # lest a desk fetch ahead as somebody else
            enter(context, address, full, who)
        if shows(page, f"{address}{look.path}", look):
            found += [f"{look.path}: {one}" for one in page.evaluate(BESIDE, PREFIX)]
    assert found == []
    assert len(asked) > 150
    outside = {url for url in asked if not url.startswith((f"{address}/", "data:", "blob:", "about:"))}
    assert outside == set()


def test_somebody_signs_in_judges_and_signs_out(
    address: str,
    full: FullCampaign,
    new_context: Callable[..., BrowserContext],
    complaints: Complaints,
) -> None:
    page: Page = new_context(ignore_https_errors=True).new_page()
    desk = f"{address}/c/harbour/judge/{full.samples['assignment_id']}"
    page.goto(desk)
    page.get_by_label("Login name").fill("marlow")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(re.compile(re.escape(desk)))
    expect(page.locator("#document")).to_be_focused()

    def saves(one: Response | Request) -> bool:
        return one.url == f"{address}/desk/events"

    with page.expect_response(saves) as saved:
        page.keyboard.press("1")
    assert [one["outcome"] for one in saved.value.json()["receipts"]] == ["recorded"]
    page.goto(f"{address}/account")
    page.get_by_role("button", name="Sign out", exact=True).click()
    expect(page).to_have_url(f"{address}/sign-in?why=signed-out")
    assert "__Host-workbench" not in {one["name"] for one in page.context.cookies()}


def test_somebody_signs_in_at_a_provider_and_is_back_where_they_were(
    tmp_path: Path,
    new_context: Callable[..., BrowserContext],
    complaints: Complaints,
    running: RunningProvider,
) -> None:
    complaints.expect("picocss")  # the style of the provider
    port, instance = free_port(), demo_instance(tmp_path / "demo")
    with stored(instance) as database, database.writing() as db:
        marlow = account_by_login(db, "marlow").id
        link_identity(db, ProviderIdentity(running.issuer, "marlow@example.org"), marlow)
    command = [sys.executable, "-m", "workbench", "serve", "--port", str(port), "--instance", str(instance)]
    with nginx(tmp_path, Deployment(host="localhost", prefix=PREFIX, port=port)) as address:
        environment = {
            "WORKBENCH_PREFIX": PREFIX,
            "WORKBENCH_PROXIES": "1",
            "WORKBENCH_HOSTS": "localhost",
            "WORKBENCH_ADDRESS": address,
            "WORKBENCH_OPENID_ISSUER": running.issuer,
            "WORKBENCH_OPENID_CLIENT_ID": CLIENT,
            "WORKBENCH_OPENID_CLIENT_SECRET": SECRET,
            "WORKBENCH_OPENID_NAME": NAME,
        }
        with running_server(command, log=tmp_path / "server.log", folder=ROOT, environment=environment):
            page = new_context(ignore_https_errors=True).new_page()
            wanted = f"{address}/c/harbour/judge"
            page.goto(wanted)
            page.get_by_role("button", name=f"Sign in with {NAME}").click()
            expect(page).to_have_url(PROVIDER)
            asked = parse_qs(urlsplit(page.url).query)
            assert asked["redirect_uri"] == [f"{address}/openid/callback"]
            # Taken for `/`, over HTTPS and of this host only (RFC 6265bis, 4.1.3.2).
            (trip,) = (one for one in page.context.cookies() if "openid" in one["name"])
            assert (trip["name"], trip["path"]) == ("__Host-workbench-openid", "/")
            assert (trip["secure"], trip["httpOnly"], trip["sameSite"]) == (True, True, "Lax")
            agree(page, "marlow@example.org")
            expect(page).to_have_url(wanted)
            assert {one["name"] for one in page.context.cookies() if one["secure"]} == {"__Host-workbench"}
            page.get_by_role("button", name="Sign out").click()
            leave = page.get_by_role("link", name="sign out there, too")
            expect(leave).to_have_attribute("href", f"{PREFIX}/openid/sign-out")
