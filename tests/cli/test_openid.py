"""`workbench openid`: the check of a provider, and the way out for who was locked out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.browser.people import stored
from tests.openid import CLIENT, SECRET, SITE, RunningProvider
from workbench.cli.main import workbench
from workbench.errors import Conflict, WorkbenchError
from workbench.settings import is_protected, read_settings
from workbench.workflow.openid.identities import ProviderIdentity, link_identity
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


@pytest.mark.slow  # each command hashes, or opens the database anew
def test_a_linked_account_is_listed_and_unlinked_once_it_has_a_password(tmp_path: Path) -> None:
    def run(*words: str) -> Result:
        options = ["--instance", str(tmp_path)]
        return CliRunner().invoke(
            workbench, [*words, *options], env={"WORKBENCH_PASSWORD": "many small tides"}
        )

    with stored(tmp_path) as database, database.writing() as db:
        account = create_account(db, account_without_password("ada", "Ada"))
        link_identity(
            db, ProviderIdentity("https://login.example.org", "248289", login="lovelace"), account.id
        )
    assert "lovelace" in run("openid", "list").output
    assert json.loads(run("openid", "list", "--json").output)[0]["login"] == "ada"
    assert isinstance(run("openid", "unlink", "ada").exception, Conflict)
    assert run("account", "password", "ada").exit_code == 0
    assert run("openid", "unlink", "ada").exit_code == 0
    assert "lovelace" not in run("openid", "list").output


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
