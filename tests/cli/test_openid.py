"""`workbench openid`: the check of a provider, and the way out for who was locked out."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.openid import CLIENT, SECRET, SITE, RunningProvider
from workbench.cli.main import workbench
from workbench.errors import Conflict, WorkbenchError
from workbench.settings import is_protected, read_settings

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


def test_an_account_is_unlinked_once_it_has_a_password(tmp_path: Path) -> None:
    def run(*words: str) -> object:
        found = CliRunner().invoke(
            workbench, [*words, "--instance", str(tmp_path)], env={"WORKBENCH_PASSWORD": "many small tides"}
        )
        return found.exception or found.output

    assert "ada" in str(run("account", "new", "ada"))
    assert "ada" not in str(run("openid", "list"))
    assert isinstance(run("openid", "unlink", "ada"), WorkbenchError)
    assert not isinstance(run("openid", "unlink", "ada"), Conflict)


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
