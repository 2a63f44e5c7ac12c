"""`workbench init`, `account`, `token` and `trail`: the first organiser, accounts, tokens, audit trail."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Concatenate

import click

from workbench.cli.database import (
    Given,
    Result,
    database_command,
    migrated_database,
    open_database,
    reading,
    same_database,
    writing,
)
from workbench.cli.main import CommandGroup
from workbench.cli.output import (
    JSON_OBJECT,
    POSITIVE,
    OneOf,
    Texts,
    flag,
    needed,
    number_setting,
    printable,
    record_json,
    repeatable,
    say_json,
    say_list,
    setting,
    text_option,
)
from workbench.errors import Conflict, InvalidInput
from workbench.figures import counted
from workbench.settings import Settings
from workbench.storage import Session
from workbench.workflow.campaigns.campaigns import campaign_by_slug
from workbench.workflow.people.accounts import (
    Passwords,
    account_by_login,
    any_account,
    create_account,
    create_first_account,
    password_findings,
    prepare_account,
)
from workbench.workflow.people.administration import (
    accounts_found,
    disable_account,
    enable_account,
    reset_two_factor,
    set_administrator,
)
from workbench.workflow.people.groups import group_named, join
from workbench.workflow.people.mail_addresses import checked_address, remove_address, set_address
from workbench.workflow.people.membership import Role, add_role
from workbench.workflow.people.sessions import (
    MOST_DAYS,
    USUAL_DAYS,
    Scope,
    access_tokens,
    make_access_token,
    revoke_access_token,
)
from workbench.workflow.people.signing_in import make_reset, sign_out_everywhere
from workbench.workflow.people.signing_in import set_password as store_password
from workbench.workflow.people.trail import TrailFilter, entry_data, trail_entries
from workbench.workflow.upkeep.erasure import erase_person

PASSWORD = click.option(
    "--password",
    envvar="WORKBENCH_PASSWORD",
    prompt=True,
    hide_input=True,
    confirmation_prompt=True,
    help="Password; prompted for if missing (or WORKBENCH_PASSWORD).",
)


@database_command("init")
@click.option("--login", prompt=True, help="Login name.")
@click.option("--name", help="Name shown to others; defaults to the login name.")
@PASSWORD
def init(settings: Settings, login: str, name: str | None, password: str) -> None:
    """Create the database and the first account, an administrator."""
    new = prepare_account(login=login, name=name or login, password=password, passwords=Passwords())
    with migrated_database(settings) as database, database.writing() as db:
        if any_account(db):
            raise Conflict(
                "the database already has an account, and `init` only creates the first",
                remedy=f"add another with: {same_database('account new LOGIN')}",
            )
        account = create_first_account(db, new)
    click.echo(f"{account.name} can sign in as {account.login}. Next: {same_database('serve')}")


@click.group("account", cls=CommandGroup)
def command() -> None:
    """Create, list and disable accounts, assign roles, reset passwords."""


of_login = partial(database_command, about="login")
"""Make a command about LOGIN, its first argument."""


def _change(
    settings: Settings,
    login: str,
    function: Callable[Concatenate[Session, int, Given], Result],
    *given: Given.args,
    **named: Given.kwargs,
) -> Result:
    """What a function makes of an account, in one transaction that changes it."""
    with writing(settings) as db:
        return function(db, account_by_login(db, login).id, *given, **named)


@of_login("new", command)
@click.option("--name", help="Name shown to others; defaults to the login name.")
@flag("--administrator", help="Make the account an administrator.")
@PASSWORD
def new(settings: Settings, login: str, name: str | None, administrator: bool, password: str) -> None:
    """Create the account LOGIN."""
    prepared = prepare_account(login=login, name=name or login, password=password, passwords=Passwords())
    with writing(settings) as db:
        account = create_account(db, prepared, administrator=administrator)
    click.echo(f"{account.name} can sign in as {account.login}")


@of_login("role", command)
@click.argument("campaign")
@click.argument("role", type=OneOf(Role))
@click.option("--group", help="Group of a participant.")
@flag("--both", help="Allow one person to both judge and submit runs.")
def role(settings: Settings, login: str, campaign: str, role: Role, group: str | None, both: bool) -> None:
    """Give LOGIN a ROLE in CAMPAIGN."""
    if (role == Role.PARTICIPANT) != (group is not None):
        raise click.UsageError("--group is required for a participant and not allowed for other roles")
    with writing(settings) as db:
        account, found = account_by_login(db, login), campaign_by_slug(db, campaign)
        if group is not None:
            join(db, found.id, group_named(db, found.id, group), account.id, both_sides=both)
        else:
            add_role(db, found.id, account.id, role, both_sides=both)
    click.echo(f"{account.name} is {role} of {found.name}")


@of_login("password", command)
@PASSWORD
def reset(settings: Settings, login: str, password: str) -> None:
    """Set a new password for LOGIN; all sessions of the account end, its access tokens are revoked."""
    if findings := password_findings(password, login=login):
        raise InvalidInput(findings)
    hashed = Passwords().hash(password)
    with writing(settings) as db:
        account = store_password(db, login, hashed)
    click.echo(f"{account.login} has a new password, is signed out everywhere, and has no access tokens")


@database_command("list", command)
@text_option("--search", help="Only accounts whose login name or name contains this.")
@JSON_OBJECT
def list_(settings: Settings, search: str, as_json: bool) -> None:
    """List accounts by login name, with their open sessions."""
    with reading(settings) as db:
        found = accounts_found(db, search)
    say_list(
        [record_json(one, id="", erased="") for one in found],
        as_json,
        ["login", "name", "state", "administrator", "two-factor", "sessions", "last used"],
        [
            (
                one.login,
                one.name,
                "disabled" if one.disabled_at else "enabled",
                "yes" if one.administrator else "",
                "on" if one.two_factor else "",
                one.sessions,
                f"{one.used_at:%Y-%m-%d}" if one.used_at else "",
            )
            for one in found
        ],
        numeric=[5],
    )


@of_login("disable", command)
def disable(settings: Settings, login: str) -> None:
    """End the sessions and tokens of LOGIN, and refuse every sign-in; roles and judgments stay."""
    _change(settings, login, disable_account)
    click.echo(f"{login} is disabled and signed out everywhere")


@of_login("enable", command)
def enable(settings: Settings, login: str) -> None:
    """Let the owner of LOGIN sign in again."""
    _change(settings, login, enable_account)
    click.echo(f"{login} can sign in again")


@of_login("reset", command)
@text_option(
    "--address",
    envvar="WORKBENCH_ADDRESS",
    help="Where the site is, as https://judge.example.org, for a whole link (or WORKBENCH_ADDRESS).",
)
def reset_link(settings: Settings, login: str, address: str) -> None:
    """Print a link by which the owner of LOGIN chooses a new password, once and within 24 hours.

    The old password, the open sessions and the access tokens keep working until the link is used.
    """
    made = _change(settings, login, make_reset)
    click.echo(f"{address.rstrip('/')}/reset/{made.token}")


@of_login("erase", command)
@click.option("--confirm", help="LOGIN once more, to confirm; asked for if missing.")
def erase(settings: Settings, login: str, confirm: str | None) -> None:
    """Delete the personal data of LOGIN; judgments stay, and so do agreement, qrels and releases.

    Name, login name, password, roles and sessions are deleted, assessor names become numbers. It cannot
    be undone.
    """
    with open_database(settings) as database:
        with database.reading() as db:
            account = account_by_login(db, login)
        if confirm is None:
            confirm = click.prompt("This cannot be undone. Type the login name", err=True)
        erased = erase_person(database, account.id, typed_login=confirm)
    click.echo(f"The personal data is deleted; the account is now {erased.login}")
    if not erased.overwritten:
        click.echo(erased.log_in_use)
    for place, number in erased.mentions:
        click.echo(f"Still named in {counted(number, 'row')} of {place}: free text is not changed")


@of_login("address", command)
@click.argument("address", required=False)
@flag("--remove", help="Remove the address.")
def address(settings: Settings, login: str, address: str | None, remove: bool) -> None:
    """Set the e-mail ADDRESS of LOGIN, which you vouch for; nobody is asked to confirm it."""
    if remove == (address is not None):
        raise click.UsageError("give an ADDRESS or --remove")
    checked = checked_address(address) if address is not None else ""
    with writing(settings) as db:
        account = account_by_login(db, login)
        if checked:
            set_address(db, account.id, checked)
        else:
            remove_address(db, account.id)
    click.echo(f"Messages for {login} go to {checked}" if checked else f"{login} has no e-mail address")


@of_login("reset-two-factor", command)
def reset_app(settings: Settings, login: str) -> None:
    """Turn two-factor sign-in off for LOGIN, who lost app and codes; ends all sessions and tokens."""
    _change(settings, login, reset_two_factor)
    click.echo(f"{login} signs in with the password alone, and is signed out everywhere")


@of_login("end-sessions", command)
def end_sessions(settings: Settings, login: str) -> None:
    """End every session of LOGIN, and revoke its access tokens."""
    ended = _change(settings, login, sign_out_everywhere)
    click.echo(f"{counted(ended, 'session')} of {login} ended, access tokens revoked")


@of_login("administrator", command)
@flag("--remove", help="Remove administrator rights.")
def administrator(settings: Settings, login: str, remove: bool) -> None:
    """Make LOGIN an administrator, who creates campaigns and manages accounts."""
    _change(settings, login, set_administrator, not remove)
    click.echo(f"{login} is no longer an administrator" if remove else f"{login} is an administrator")


@click.group("token", cls=CommandGroup)
def token() -> None:
    """Create, list and revoke the access tokens by which programs act for an account."""


@of_login("new", token)
@needed("--name", help="Name of the token, such as the program that will use it.")
@repeatable("--scope", "scopes", required=True, type=OneOf(Scope), help="What the token allows (repeatable).")
@setting(
    "--days",
    default=USUAL_DAYS,
    type=click.IntRange(1, MOST_DAYS),
    help="Days until the token expires.",
)
def new_token(settings: Settings, login: str, name: str, scopes: Texts, days: int) -> None:
    """Print a new token of LOGIN, which is shown only now."""
    click.echo(_change(settings, login, make_access_token, name=name, scopes=scopes, days=days).secret)


@of_login("list", token)
@JSON_OBJECT
def list_tokens(settings: Settings, login: str, as_json: bool) -> None:
    """List the tokens of LOGIN with their last use, without what is secret of them."""
    with reading(settings) as db:
        found = access_tokens(db, account_by_login(db, login).id)
    say_list(
        [record_json(one, id="token") for one in found],
        as_json,
        ["token", "name", "scopes", "expires", "last used"],
        [
            (
                one.id,
                one.name,
                " ".join(one.scopes),
                f"{one.expires_at:%Y-%m-%d}{' (expired)' if one.expired else ''}",
                f"{one.used_at:%Y-%m-%d %H:%M}" if one.used_at else "never",
            )
            for one in found
        ],
        numeric=[0],
    )


@of_login("revoke", token)
@click.argument("token", type=POSITIVE)
def revoke(settings: Settings, login: str, token: int) -> None:
    """Revoke the TOKEN of LOGIN, by its number in the list."""
    revoked = _change(settings, login, revoke_access_token, token)
    click.echo(f"{revoked.name} is revoked")


@database_command("trail")
@text_option("--login", help="Only acts of this account.")
@text_option("--act", help="Only acts whose name contains this, such as role.")
@text_option("--campaign", help="Only acts in this campaign.")
@text_option("--request", help="Only acts of this request ID.")
@number_setting("--last", default=50, help="Number of entries.")
@JSON_OBJECT
def trail(
    settings: Settings, login: str, act: str, campaign: str, request: str, last: int, as_json: bool
) -> None:
    """List administrative acts, sign-ins and refusals, latest first.

    Entries cannot be changed or deleted. `workbench verify` checks that none is missing or was changed.
    """
    with reading(settings) as db:
        entries = trail_entries(db, TrailFilter(login, act, campaign, request), most=last)
    if as_json:
        say_json([entry_data(one) for one in entries])
        return
    for one in entries:
        changes = one.details.get("changes", ())
        words = (
            one.number,
            f"{one.at:%Y-%m-%d %H:%M:%S}",
            one.who or "-",
            one.act_name,
            one.outcome_name,
            one.campaign,
            ", ".join(f"{each['rows']} {each['table']} {each['kind']}" for each in changes),
        )
        click.echo("  ".join(printable(word) for word in words if word))
