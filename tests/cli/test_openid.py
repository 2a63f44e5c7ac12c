"""`workbench openid`: the check of a provider, and the way out for who was locked out."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from tests.cli.executable import Terminal
from tests.openid import CLIENT, SECRET, SITE, RunningProvider
from workbench.cli.main import workbench
from workbench.errors import WorkbenchError
from workbench.settings import is_protected, read_settings
from workbench.workflow.openid.identities import ProviderIdentity, link_identity
from workbench.workflow.openid.provider import OpenIdProvider
from workbench.workflow.people.accounts import account_without_password, create_account

NEEDED = {
    "WORKBENCH_OPENID_ISSUER": "https://login.example.org",
    "WORKBENCH_OPENID_CLIENT_ID": CLIENT,
    "WORKBENCH_OPENID_CLIENT_SECRET": SECRET,
    "WORKBENCH_ADDRESS": f"{SITE}/",
}


def test_the_check_prints_what_to_register_and_never_the_secret(
    running: RunningProvider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (NEEDED | {"WORKBENCH_OPENID_ISSUER": running.issuer}).items():
        monkeypatch.setenv(name, value)
    found = CliRunner().invoke(workbench, ["openid", "check", "--instance", str(tmp_path)])
    assert (found.exit_code, SECRET in found.output) == (0, False)
    assert f"{SITE}/openid/callback" in found.output
    # A slash more is another issuer, and the check says which.
    monkeypatch.setenv("WORKBENCH_OPENID_ISSUER", running.issuer + "/")
    found = CliRunner().invoke(workbench, ["openid", "check", "--instance", str(tmp_path)])
    assert isinstance(found.exception, WorkbenchError)
    assert repr(running.issuer) in found.exception.message


@pytest.mark.usefixtures("cheap_passwords")
def test_a_linked_account_is_listed_and_unlinked_once_it_has_a_password(terminal: Terminal) -> None:
    with terminal.database() as database, database.writing() as db:
        account = create_account(db, account_without_password("ada", "Ada"))
        link_identity(
            db, ProviderIdentity("https://login.example.org", "248289", login="lovelace"), account.id
        )
    (found,) = terminal.json("openid", "list")
    assert (found["login"], found["known_as"], found["used_at"]) == ("ada", "lovelace", None)
    heading, line = (one.split("\t") for one in terminal.does("openid", "list").decode().splitlines())
    assert heading == ["login", "known as", "issuer", "linked", "last used"]
    assert line == ["ada", "lovelace", "https://login.example.org", found["linked_at"][:10], ""]
    assert "password" in terminal.refused("openid", "unlink", "ada")
    terminal.does("account", "password", "ada", "--password", "many small tides")
    assert terminal.does("openid", "unlink", "ada") == b"ada signs in with a password only\n"
    assert terminal.json("openid", "list") == []


def test_a_provider_that_is_not_set_or_does_not_answer_is_told(
    running: RunningProvider, terminal: Terminal
) -> None:
    assert "set WORKBENCH_OPENID_ISSUER" in terminal.refused("openid", "check")
    terminal.environment |= NEEDED | {"WORKBENCH_OPENID_ISSUER": running.issuer}
    running.instead["/.well-known/openid-configuration"] = (500, b"")
    said = terminal.refused("openid", "check")
    assert "check the WORKBENCH_OPENID_ settings, and whether this machine reaches the provider" in said
    assert SECRET not in said


@pytest.mark.parametrize(("seconds", "side"), [(90, "ahead of"), (-90, "behind")])
def test_a_clock_that_differs_is_told_before_nobody_can_sign_in(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, seconds: int, side: str
) -> None:
    metadata = SimpleNamespace(clock_ahead=float(seconds))
    monkeypatch.setattr(OpenIdProvider, "checked", lambda _self: (metadata, 2))
    terminal.environment |= NEEDED
    done = terminal.run("openid", "check")
    assert done.returncode == 1
    assert b"answers as https://login.example.org with 2 keys" in done.stdout
    message = f"the provider's clock is 90 seconds {side} that of this machine (set the clock; from"
    assert message in done.stderr.decode()


def test_the_settings_of_a_provider_are_read_with_the_secret_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_text(f"{SECRET}\n")
    given = NEEDED | {
        "WORKBENCH_OPENID_CLIENT_SECRET": "",
        "WORKBENCH_OPENID_CLIENT_SECRET_FILE": str(file),
        "WORKBENCH_OPENID_DOMAINS": "Example.org, uni.example",
    }
    found = read_settings(given, instance=tmp_path).openid
    assert found is not None
    assert (found.client_secret, found.site, found.name) == (SECRET, SITE, "login.example.org")
    assert found.domains == ("example.org", "uni.example")
    assert SECRET not in repr(found)
    assert read_settings({}, instance=tmp_path).openid is None


@pytest.mark.parametrize(
    ("changes", "variable"),
    [
        ({"WORKBENCH_OPENID_ISSUER": "http://login.example.org"}, "WORKBENCH_OPENID_ISSUER"),
        ({"WORKBENCH_OPENID_ISSUER": "login.example.org"}, "WORKBENCH_OPENID_ISSUER"),
        ({"WORKBENCH_OPENID_CLIENT_ID": ""}, "WORKBENCH_OPENID_CLIENT_ID"),
        ({"WORKBENCH_ADDRESS": ""}, "WORKBENCH_ADDRESS"),
        # Otherwise the provider leads people beside the site.
        ({"WORKBENCH_PREFIX": "/workbench"}, f"{SITE}/workbench"),
        ({"WORKBENCH_ADDRESS": f"{SITE}/elsewhere"}, "WORKBENCH_PREFIX"),
        ({"WORKBENCH_OPENID_DOMAINS": "*.example.org"}, "WORKBENCH_OPENID_DOMAINS"),
        ({"WORKBENCH_OPENID_DOMAINS": "ada@example.org"}, "WORKBENCH_OPENID_DOMAINS"),
        ({"WORKBENCH_OPENID_NAME": "n" * 41}, "WORKBENCH_OPENID_NAME"),
        ({"WORKBENCH_OPENID_CLIENT_SECRET_FILE": "/nowhere"}, "WORKBENCH_OPENID_CLIENT_SECRET_FILE"),
    ],
)
def test_settings_that_cannot_work_name_their_variable(
    tmp_path: Path, changes: dict[str, str], variable: str
) -> None:
    with pytest.raises(WorkbenchError) as refused:
        read_settings(NEEDED | changes, instance=tmp_path)
    assert variable in f"{refused.value.message} {refused.value.remedy}"
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize(
    ("address", "protected"),
    [
        ("https://login.example.org", True),
        ("http://localhost:9400", True),
        ("http://127.0.0.1:9400", True),
        ("http://[::1]:9400", True),
        ("http://localhost.evil.net", False),
        ("http://127.0.0.1.evil.net", False),
        ("file:///etc/passwd", False),
        ("javascript:alert(1)", False),
        ("", False),
    ],
)
def test_only_this_machine_is_spoken_to_without_https(address: str, protected: bool) -> None:
    assert is_protected(address) == protected
