"""The acts of the audit trail in plain words: one name for each endpoint and command that is recorded."""

from __future__ import annotations

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
    "additions.add": "Add documents to topic",
    "additions.remove": "Remove added documents",
    "adjudicating.decide_pair": "Decide disputed pair",
    "adjudicating.keep_words": "Save highlighted words",
    "adjudicating.undo_last": "Withdraw decision",
    "adjudication.change_rules": "Change adjudication rules",
    "agreement_planner.draw": "Sample overlap pool",
    "archive.archive": "Archive campaign",
    "archive.delete": "Delete campaign",
    "archive.duplicate": "Duplicate campaign",
    "archive.restore": "Restore campaign",
    "assignments.by_hand": "Assign topics",
    "assignments.in_turn": "Distribute topics automatically",
    "assignments.revoke": "Remove assignment",
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
    "people.add_role": "Add role",
    "people.invite": "Invite people",
    "people.remove_role": "Remove role",
    "people.renew": "Create new invitation links",
    "people.withdraw": "Withdraw invitations",
    "plan.guess": "Set estimated time per judgment",
    "plan.pack": "Prepare stored runs",
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
    "records.load": "Load run records",
    "releases.create": "Create release",
    "releases.publish": "Publish release",
    "releases.unpublish": "Make release private",
    "releases.withdraw": "Withdraw release",
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
    "settings.ask": "Change questions about documents",
    "settings.breaks": "Change breaks",
    "settings.change": "Change campaign settings",
    "settings.create": "Create campaign",
    "setup.add": "Add prepared files",
    "setup.discard": "Discard prepared runs",
    "setup.drop": "Upload files for set-up",
    "setup.read_as": "Change type of prepared file",
    "setup.remove": "Remove prepared file",
    "topics.load": "Load topics",
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
