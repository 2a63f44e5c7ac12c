"""What variables may hold: each wrong value is refused with the name of its variable and what to set."""

from __future__ import annotations

from ipaddress import ip_network
from pathlib import Path

import pytest

from workbench.errors import WorkbenchError
from workbench.settings import NEARBY, TwoFactorDemand, environment_of, read_settings

MAIL = {
    "WORKBENCH_MAIL_HOST": "mail.example.org",
    "WORKBENCH_MAIL_FROM": "Workbench <bench@example.org>",
    "WORKBENCH_ADDRESS": "https://judge.example.org/",
}
OPENID = {
    "WORKBENCH_OPENID_ISSUER": "https://login.example.org",
    "WORKBENCH_OPENID_CLIENT_ID": "bench",
    "WORKBENCH_ADDRESS": "https://judge.example.org",
}
A_PATH = "set a path such as /workbench, of letters, digits and . _ ~ -"
SECRET_FILE = "WORKBENCH_OPENID_CLIENT_SECRET_FILE"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"WORKBENCH_PROXIES": "one"}, "WORKBENCH_PROXIES is 'one' (set a whole number, 0 or more)"),
        (
            {"WORKBENCH_HOSTS": "https://x.example/"},
            "WORKBENCH_HOSTS is 'https://x.example/' "
            "(set names such as judge.example.org, without https:// and without a path)",
        ),
        ({"WORKBENCH_PROXIES": "-1"}, "WORKBENCH_PROXIES is '-1' (set a whole number, 0 or more)"),
        # A digit of another script.
        ({"WORKBENCH_SLOW_QUERY_MS": "٣"}, "WORKBENCH_SLOW_QUERY_MS is '٣' (set a whole number, 0 or more)"),
        ({"WORKBENCH_LOG_JSON": "perhaps"}, "WORKBENCH_LOG_JSON is 'perhaps' (set yes or no)"),
        (
            {"WORKBENCH_REQUIRE_TWO_FACTOR": "some"},
            "WORKBENCH_REQUIRE_TWO_FACTOR is 'some' (set yes, no or everybody)",
        ),
        (
            {"WORKBENCH_METRICS_TOKEN": "too short"},
            "WORKBENCH_METRICS_TOKEN has 9 characters (set 20 random characters or more)",
        ),
        (
            {"WORKBENCH_PREFIX": "/work bench"},
            f"WORKBENCH_PREFIX is '/work bench' ({A_PATH})",
        ),
        (
            {"WORKBENCH_PREFIX": "/a/../b"},
            f"WORKBENCH_PREFIX is '/a/../b' ({A_PATH})",
        ),
        (
            {"WORKBENCH_PROXY_ADDRESSES": "10.0.0.0/8, proxy"},
            "WORKBENCH_PROXY_ADDRESSES: 'proxy' does not appear to be an IPv4 or IPv6 network (set addresses"
            " or networks such as 10.0.0.0/8, separated by commas)",
        ),
        (
            MAIL | {"WORKBENCH_MAIL_SECURITY": "ssl"},
            "WORKBENCH_MAIL_SECURITY is 'ssl' (set one of starttls, tls, none)",
        ),
        (
            MAIL | {"WORKBENCH_MAIL_SECURITY": "none", "WORKBENCH_MAIL_LOGIN": "relay"},
            "the password of the mail server would be sent unencrypted (set WORKBENCH_MAIL_SECURITY to"
            " starttls or tls, or leave the login out)",
        ),
        (
            MAIL | {"WORKBENCH_MAIL_FROM": "Workbench"},
            "WORKBENCH_MAIL_FROM is 'Workbench' (set the address that messages come from, such as"
            " workbench@example.org)",
        ),
        # Otherwise a line of a header could be added.
        (
            MAIL | {"WORKBENCH_MAIL_FROM": "bench@example.org\nBcc: eve@example.org"},
            "WORKBENCH_MAIL_FROM is 'bench@example.org\\nBcc: eve@example.org' (set the address that messages"
            " come from, such as workbench@example.org)",
        ),
        (
            MAIL | {"WORKBENCH_ADDRESS": "judge.example.org"},
            "WORKBENCH_ADDRESS is 'judge.example.org' (set the whole address of the site, such as"
            " https://judge.example.org)",
        ),
        (
            MAIL | {"WORKBENCH_ADDRESS": "https://[judge"},
            "WORKBENCH_ADDRESS is 'https://[judge' (set the whole address of the site, such as"
            " https://judge.example.org)",
        ),
        (
            MAIL | {"WORKBENCH_ADDRESS": "https://judge.example.org/?a"},
            "WORKBENCH_ADDRESS is 'https://judge.example.org/?a' (set the whole address of the site, such as"
            " https://judge.example.org)",
        ),
        (
            OPENID,
            "the client secret of the OpenID provider is missing (set it, or name a file with it in"
            " WORKBENCH_OPENID_CLIENT_SECRET_FILE)",
        ),
        (
            OPENID | {"WORKBENCH_OPENID_CLIENT_SECRET": "s", SECRET_FILE: "/run/secret"},
            "WORKBENCH_OPENID_CLIENT_SECRET and WORKBENCH_OPENID_CLIENT_SECRET_FILE are both set (set one of"
            " them)",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, dict) else "",
)
def test_a_wrong_value_is_refused_with_its_variable_and_what_to_set(given: dict[str, str], said: str) -> None:
    with pytest.raises(WorkbenchError) as refused:
        read_settings(given)
    assert str(refused.value) == said


def test_a_file_that_holds_no_text_is_no_secret_and_not_shown(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_bytes(b"se\xffcret")
    with pytest.raises(WorkbenchError) as refused:
        read_settings(OPENID | {SECRET_FILE: str(file)})
    assert refused.value.message == f"{SECRET_FILE} cannot be read: it is not text"
    with pytest.raises(WorkbenchError, match="No such file"):
        read_settings(OPENID | {SECRET_FILE: str(tmp_path / "none")})


@pytest.mark.parametrize(
    ("security", "port"),
    [("", 587), ("STARTTLS", 587), ("tls", 465), ("none", 25)],
    ids=str,
)
def test_a_mail_server_has_the_usual_port_of_its_security(security: str, port: int) -> None:
    mail = read_settings(MAIL | {"WORKBENCH_MAIL_SECURITY": security}).mail
    assert mail is not None
    assert (mail.port, mail.security) == (port, security.lower() or "starttls")
    assert mail.site == "https://judge.example.org"
    other = read_settings(MAIL | {"WORKBENCH_MAIL_SECURITY": security, "WORKBENCH_MAIL_PORT": "2525"}).mail
    assert other is not None
    assert other.port == 2525


def test_no_password_is_in_what_settings_show_of_themselves() -> None:
    given = {"WORKBENCH_MAIL_LOGIN": "relay", "WORKBENCH_MAIL_PASSWORD": "of the relay"}
    mail = read_settings(MAIL | given).mail
    assert mail is not None
    assert (mail.login, mail.password) == ("relay", "of the relay")
    assert "of the relay" not in repr(mail)


@pytest.mark.parametrize(
    ("text", "demand", "label"),
    [
        ("", TwoFactorDemand.NOBODY, "nobody"),
        ("no", TwoFactorDemand.NOBODY, "nobody"),
        ("Yes", TwoFactorDemand.RESPONSIBLE, "organisers and administrators"),
        ("Everybody", TwoFactorDemand.EVERYBODY, "everybody"),
    ],
)
def test_two_factor_sign_in_is_required_of_some(text: str, demand: TwoFactorDemand, label: str) -> None:
    found = read_settings({"WORKBENCH_REQUIRE_TWO_FACTOR": text}).two_factor_demand
    assert (found, found.label) == (demand, label)


def test_lists_are_parted_by_commas_or_spaces() -> None:
    found = read_settings(
        {
            "WORKBENCH_HOSTS": "judge.example.org, bench.example.org",
            "WORKBENCH_PROXY_ADDRESSES": "192.0.2.1 10.1.2.3/8",
            "WORKBENCH_MAX_UPLOAD_MIB": "3",
            "WORKBENCH_SECURE_COOKIES": "off",
        }
    )
    assert found.hosts == ("judge.example.org", "bench.example.org")
    assert found.proxy_networks == (ip_network("192.0.2.1/32"), ip_network("10.0.0.0/8"))
    assert (found.max_upload_bytes, found.secure_cookies) == (3 * 1024**2, False)
    assert read_settings({}).proxy_networks == NEARBY


def test_a_process_that_is_started_gets_the_same_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORKBENCH_HOSTS", "judge.example.org")
    started = environment_of(read_settings({}, instance=tmp_path))
    again = read_settings(started)
    assert (again.instance, again.hosts) == (tmp_path, ("judge.example.org",))
    assert again.database_url == f"sqlite:///{tmp_path / 'workbench.sqlite3'}"
