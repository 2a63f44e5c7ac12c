"""Acts of the audit trail: in plain words, and what a transaction changes, before and after."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from sqlalchemy import (
    CursorResult,
    Delete,
    Insert,
    LargeBinary,
    Result,
    Select,
    Table,
    Update,
    event,
    inspect,
    select,
)
from sqlalchemy.engine import Connection
from sqlalchemy.orm import ORMExecuteState, Session

COMMAND = "command "
"""What the act of a command begins with; its words follow."""
OUTCOMES = {
    "done": "done",
    "401": "not signed in",
    "403": "no access",
    "404": "not found",
    "409": "refused, conflict",
    "413": "refused, too large",
    "422": "refused, invalid input",
    "429": "refused, too many attempts",
    "503": "not done, server busy",
}
ACTS = {
    "access_tokens.make": "Create own access token",
    "access_tokens.revoke": "Revoke own access token",
    "account.change_password": "Change own password",
    "account.end_other_sessions": "End own other sessions",
    "account.end_session": "End own session",
    "account.rename": "Change own name",
    "account.sign_out_everywhere": "Sign out everywhere",
    "accounts.demote": "Remove administrator rights",
    "accounts.disable": "Disable account",
    "accounts.enable": "Enable account",
    "accounts.end_sessions": "End sessions of account",
    "accounts.erase": "Delete personal data",
    "accounts.promote": "Make administrator",
    "accounts.reset": "Create reset link",
    "accounts.revoke_token": "Revoke access token of account",
    "accounts.reset_two_factor": "Reset two-factor sign-in of account",
    "additions.add": "Add documents to topic",
    "additions.remove": "Remove added documents",
    "adjudicating.decide_pair": "Decide disputed pair",
    "adjudicating.keep_words": "Save highlighted words",
    "adjudicating.undo_last": "Withdraw decision",
    "adjudication.change_rules": "Change adjudication rules",
    "api.assignments.add": "Assign topics, by API",
    "api.assignments.remove": "Remove assignment, by API",
    "api.campaigns.change": "Change campaign settings, by API",
    "api.campaigns.change_state": "Archive or restore campaign, by API",
    "api.campaigns.create": "Create campaign, by API",
    "api.disputes.change_rules": "Change adjudication rules, by API",
    "api.disputes.decide_pair": "Decide disputed pair, by API",
    "api.disputes.withdraw": "Withdraw decision, by API",
    "api.documents.load": "Load documents, by API",
    "api.judgments.load": "Import judgments, by API",
    "api.people.add_role": "Add role, by API",
    "api.people.invite": "Invite people, by API",
    "api.people.remove_role": "Remove role, by API",
    "api.people.renew": "Renew invitation links, by API",
    "api.people.withdraw": "Withdraw invitations, by API",
    "api.pools.add_pairs": "Add documents to topic, by API",
    "api.pools.change_state": "Open or close pool, by API",
    "api.pools.make": "Create pool, by API",
    "api.pools.rebuild": "Rebuild pool draft, by API",
    "api.pools.remove": "Delete pool draft, by API",
    "api.pools.remove_pair": "Remove added document, by API",
    "api.pools.rename": "Rename pool draft, by API",
    "api.queues.end": "Turn queue off, by API",
    "api.queues.give": "Assign queue, by API",
    "api.queues.make": "Set up queue, by API",
    "api.queues.return_pairs": "Return pairs to queue, by API",
    "api.releases.change_state": "Publish or withdraw release, by API",
    "api.releases.make": "Create release, by API",
    "api.runs.add": "Add run, by API",
    "api.runs.change": "Change run record, by API",
    "api.runs.check": "Check run, by API",
    "api.runs.judge": "Accept or set aside runs, by API",
    "api.runs.remove": "Remove run, by API",
    "api.searches.add": "Add documents found by search, by API",
    "api.searches.more": "Show more search results, by API",
    "api.searches.search": "Search documents, by API",
    "api.topics.load": "Load topics, by API",
    "archive.archive": "Archive campaign",
    "archive.delete": "Delete campaign",
    "archive.duplicate": "Duplicate campaign",
    "archive.restore": "Restore campaign",
    "assignments.by_hand": "Assign topics",
    "assignments.in_turn": "Distribute topics automatically",
    "dataset.end": "End loading of dataset",
    "dataset.load": "Load dataset",
    "documents.load": "Load documents",
    "entrance.accept": "Accept invitation",
    "entrance.begin": "Create first account",
    "entrance.enter": "Sign in",
    "entrance.register": "Create account by invitation",
    "entrance.sign_out": "Sign out",
    "entrance.use_reset": "Reset own password by link",
    "groups.add": "Create groups",
    "groups.add_member": "Add person to group",
    "groups.invite": "Invite participants",
    "groups.remove": "Delete group",
    "groups.remove_member": "Remove person from group",
    "groups.rename": "Rename group",
    "judgments.import_": "Import judgments",
    "kept_aside.act": "Record or dismiss unrecorded answers",
    "late_runs.fill": "Create supplementary pool",
    "lost_passwords.ask": "Ask for password link",
    "mail.again": "Send failed message again",
    "mail.test": "Send test message",
    "mail_address.change": "Change own e-mail address",
    "mail_address.confirm": "Confirm e-mail address",
    "missed.draw": "Draw sample of what was not pooled",
    "openid.finish": "Sign in with OpenID Connect",
    "openid_link.link": "Link own account with OpenID Connect",
    "openid_link.unlink": "Unlink own account from OpenID Connect",
    "people.add_role": "Add role",
    "people.invite": "Invite people",
    "people.remove_role": "Remove role",
    "people.renew": "Create new invitation links",
    "people.withdraw": "Withdraw invitations",
    "stopping.budget": "Raise budget of pool",
    "pool_states.close": "Close pool",
    "pool_states.delete": "Delete pool draft",
    "pool_states.open_": "Open pool for judging",
    "pool_states.rebuild": "Rebuild pool draft",
    "pool_states.rename": "Rename pool draft",
    "pools.make": "Create pool draft",
    "preferences.documents": "Assign pairs of documents to compare",
    "preferences.revoke": "Withdraw comparison task",
    "preferences.runs": "Assign runs to compare",
    "probes.change": "Change quality checks",
    "probes.change_one": "Correct known grade",
    "probes.load": "Load pairs with known grades",
    "probes.open_work": "Waive training",
    "probes.remove": "Remove pairs with known grades",
    "queues.end": "Turn queue off",
    "queues.give": "Assign queue",
    "queues.make": "Set up queue",
    "queues.take_back": "Return pair to queue",
    "releases.create": "Create release",
    "releases.publish": "Publish release",
    "releases.unpublish": "Make release private",
    "releases.withdraw": "Withdraw release",
    "reminders.send": "Send reminders",
    "run_checks.add": "Add checked runs",
    "run_checks.correct": "Correct checked run",
    "run_checks.discard": "Discard checked runs",
    "run_checks.keep": "Upload runs for checking",
    "run_checks.replace": "Replace run by checked file",
    "run_rules.change": "Change rules for runs",
    "run_rules.forget_list": "Delete list of document ids",
    "run_rules.give_list": "Load list of document ids",
    "runs.accept": "Accept runs",
    "runs.change": "Change run record",
    "runs.judge": "Accept or set aside run",
    "runs.remove": "Remove run",
    "runs.replace": "Replace run",
    "search.add": "Add documents found by search",
    "search.more": "Show more search results",
    "search.open_document": "Open document found by search",
    "search.search": "Search documents",
    "settings.ask": "Change questions about documents",
    "settings.breaks": "Change breaks",
    "settings.change": "Change campaign settings",
    "settings.create": "Create campaign",
    "settings.search": "Change search by assessors",
    "setup.add": "Add prepared files",
    "setup.discard": "Discard prepared runs",
    "setup.drop": "Upload files for set-up",
    "setup.read_as": "Change type of prepared file",
    "setup.remove": "Remove prepared file",
    "sign_in_codes.check": "Sign in, code",
    "topics.load": "Load topics",
    "two_factor.prepare": "Begin own two-factor sign-in",
    "two_factor.renew": "Create own recovery codes",
    "two_factor.turn_off": "Turn own two-factor sign-in off",
    "two_factor.turn_on": "Turn own two-factor sign-in on",
}
"""Names by endpoint, as the buttons of the pages have them. A command is named by its words."""


def act_in_words(act: str) -> str:
    """What an act is called; a page that was refused by the part of the site that it belongs to."""
    if act.startswith(COMMAND):
        return f"workbench {act.removeprefix(COMMAND)}"
    return ACTS.get(act) or f"Open page: {act.partition('.')[0].replace('_', ' ')}"


def outcome_in_words(outcome: str) -> str:
    """How an act ended; a status without a name as it is."""
    return OUTCOMES.get(outcome, f"refused, status {outcome}")


def acts_like(words: str) -> frozenset[str]:
    """The acts whose name contains these words, in any letter case."""
    sought = words.casefold()
    return frozenset(act for act, name in ACTS.items() if sought in name.casefold())


MOST_ROWS = 20
"""Of one table; further rows are only counted."""
LONGEST = 200
WITHHELD = "not recorded"
# What signing in leaves, and the trail itself.
PASSED_OVER = frozenset({"trail", "session", "sign_in_attempt", "one_time_token", "repeatable_request"})
# What opens something, and what a person is known by: that they changed is recorded, and not how.
PRIVATE = frozenset(
    {
        ("account", "login"),
        ("account", "name"),
        ("assessor", "name"),
        ("invitation", "note"),
        ("access_token", "name"),
        ("account", "desk"),
        ("account", "address"),
        ("account", "new_address"),
        ("account", "app_secret"),
        ("account", "recovery_hashes"),
        ("invitation", "mailed_to"),
        ("mail_message", "address"),
        ("mail_message", "asked"),
        ("mail_message", "reason"),
        ("openid_identity", "subject"),
        ("openid_identity", "known_as"),
    }
)

# Inserted many at once by a statement, which returns them. What else is inserted so is data.
BY_STATEMENT = frozenset({"assignment"})


class Changes:
    """The rows that a session inserts, updates and deletes, gathered as it sends them."""

    def __init__(self) -> None:
        self._values: dict[tuple[str, str], list[dict[str, Any]]] = {}
        self._counts: Counter[tuple[str, str]] = Counter()

    def as_data(self) -> list[dict[str, Any]]:
        """One record for each table and kind of change: how many rows, and of the first what changed."""
        return [
            {"table": table, "kind": kind, "rows": count, "values": self._values.get((table, kind), [])}
            for (table, kind), count in sorted(self._counts.items())
        ]

    def flushed(self, session: Session, _context: Any) -> None:
        """Gather what a session has just sent of its objects."""
        for kind, rows in (("added", session.new), ("changed", session.dirty), ("deleted", session.deleted)):
            for row in rows:
                if kind != "changed" or session.is_modified(row):
                    self._add_row(kind, row)

    def executed(self, state: ORMExecuteState) -> Result[Any] | None:
        """Execute a statement that updates or deletes rows, and gather what it does; others go their way.

        Of those that insert rows it gathers what they put into tables `BY_STATEMENT`.
        """
        statement = state.statement
        if isinstance(statement, Insert) and isinstance(statement.table, Table):
            return self._inserted(state, statement.table.name)
        if not isinstance(statement, Update | Delete) or not isinstance(statement.table, Table):
            return None
        table, kind = statement.table, "changed" if isinstance(statement, Update) else "deleted"
        if table.name in PASSED_OVER:
            return None
        chosen = _readable(table).limit(MOST_ROWS)
        if statement.whereclause is not None:
            chosen = chosen.where(statement.whereclause)
        connection = state.session.connection()
        given = state.parameters if isinstance(state.parameters, dict) else None
        before = [row._asdict() for row in connection.execute(chosen, given)]
        result = state.invoke_statement()
        rows = result.rowcount if isinstance(result, CursorResult) else len(before)
        for row in before:
            values = {name: [_plain(table.name, name, value)] for name, value in row.items()}
            if kind == "changed":
                values = _difference(table, row, _again(connection, table, row))
            self._tell(table.name, kind, values)
        if rows > 0:
            self._counts[table.name, kind] += rows
        return result

    def _inserted(self, state: ORMExecuteState, table: str) -> Result[Any] | None:
        if table not in BY_STATEMENT:
            return None
        result = state.invoke_statement().freeze()
        rows = result().all()
        for row in rows[:MOST_ROWS]:
            values = {name: [None, _plain(table, name, value)] for name, value in row._asdict().items()}
            self._tell(table, "added", values)
        if rows:
            self._counts[table, "added"] += len(rows)
        return result()

    def _add_row(self, kind: str, row: Any) -> None:
        table = row.__tablename__
        if table in PASSED_OVER:
            return
        self._counts[table, kind] += 1
        if self._counts[table, kind] > MOST_ROWS:
            return
        state, values = inspect(row), {}
        for column in state.mapper.columns:
            name = state.mapper.get_property_by_column(column).key
            history = state.attrs[name].history
            after = _plain(table, column.name, state.dict.get(name))
            if kind == "added":
                values[column.name] = [None, after]
            elif kind == "deleted" or not history.has_changes():
                if kind == "deleted" or column.primary_key:
                    values[column.name] = [after]
            else:
                before = history.deleted[0] if history.deleted else None
                values[column.name] = [_plain(table, column.name, before), after]
        self._tell(table, kind, values)

    def _tell(self, table: str, kind: str, values: dict[str, Any]) -> None:
        rows = self._values.setdefault((table, kind), [])
        if len(rows) < MOST_ROWS:
            rows.append(values)


@contextmanager
def watching(db: Session, changes: Changes) -> Iterator[Changes]:
    """Gather the changes that a session makes meanwhile, by its objects and by statements."""
    event.listen(db, "after_flush", changes.flushed)
    event.listen(db, "do_orm_execute", changes.executed)
    try:
        yield changes
    finally:
        event.remove(db, "after_flush", changes.flushed)
        event.remove(db, "do_orm_execute", changes.executed)


def _readable(table: Table) -> Select[Any]:
    # Without files and the like, of which a row may have megabytes.
    return select(*(column for column in table.columns if not isinstance(column.type, LargeBinary)))


def _again(connection: Connection, table: Table, row: dict[str, Any]) -> dict[str, Any]:
    """What a row has become."""
    same = [column == row[column.name] for column in table.primary_key.columns]
    found = connection.execute(_readable(table).where(*same)).one_or_none()
    return found._asdict() if found is not None else {}


def _difference(table: Table, before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    key = {column.name for column in table.primary_key.columns}
    values: dict[str, Any] = {}
    for name, value in before.items():
        if name in key:
            values[name] = [_plain(table.name, name, value)]
        elif after.get(name) != value:
            values[name] = [_plain(table.name, name, value), _plain(table.name, name, after.get(name))]
    return values


def _plain(table: str, column: str, value: object) -> object:
    """A value as JSON has it; what is private is withheld, what is long shortened."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if (table, column) in PRIVATE or column.endswith("_hash"):
        return WITHHELD
    if isinstance(value, bytes):
        return f"{len(value):,} bytes, SHA-256 {hashlib.sha256(value).hexdigest()}"
    text = (
        value.isoformat()
        if isinstance(value, datetime)
        else value
        if isinstance(value, str)
        else json.dumps(value, sort_keys=True, default=str)
    )
    if len(text) > LONGEST:
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        return f"{text[:LONGEST]}… ({len(text):,} characters, SHA-256 {digest})"
    return text
