"""`workbench campaign`: its commands, in the order in which a campaign goes.

To add a command: write it in `cli/campaign/<noun>.py` with `@campaign_command` of `cli/database.py`, which
gives it the campaign and its database; add its line to `COMMANDS`, from which it is imported when it is
called, and name it in `help/pages/commands.md`.
"""

from __future__ import annotations

import click

from workbench.cli.main import LazyGroup

COMMANDS = {
    "new": "workbench.cli.campaign.campaigns:new",
    "list": "workbench.cli.campaign.campaigns:list_",
    "show": "workbench.cli.campaign.campaigns:show",
    "topics": "workbench.cli.campaign.campaigns:topics",
    "documents": "workbench.cli.campaign.campaigns:documents",
    "dataset": "workbench.cli.campaign.campaigns:dataset",
    "rules": "workbench.cli.campaign.runs:rules",
    "docids": "workbench.cli.campaign.runs:docids",
    "check": "workbench.cli.campaign.runs:check",
    "groups": "workbench.cli.campaign.people:groups",
    "runs": "workbench.cli.campaign.runs:runs",
    "run": "workbench.cli.campaign.runs:run",
    "plan": "workbench.cli.campaign.pools:plan",
    "analyse": "workbench.cli.campaign.pools:analyse",
    "pool": "workbench.cli.campaign.pools:pool",
    "pools": "workbench.cli.campaign.pools:pools",
    "pool-compare": "workbench.cli.campaign.pools:pool_compare",
    "pool-open": "workbench.cli.campaign.pools:pool_open",
    "add-to-pool": "workbench.cli.campaign.pools:add_to_pool",
    "pool-close": "workbench.cli.campaign.pools:pool_close",
    "invite": "workbench.cli.campaign.people:invite",
    "assign": "workbench.cli.campaign.pools:assign",
    "replay": "workbench.cli.campaign.adaptive:replay",
    "stopping": "workbench.cli.campaign.adaptive:stopping",
    "import": "workbench.cli.campaign.judgments:import_",
    "judgments": "workbench.cli.campaign.judgments:judgments",
    "preferences": "workbench.cli.campaign.judgments:preferences",
    "probe-answers": "workbench.cli.campaign.judgments:probe_answers",
    "subtopic-qrels": "workbench.cli.campaign.judgments:subtopic_qrels",
    "agreement": "workbench.cli.campaign.agreement:agreement",
    "consensus": "workbench.cli.campaign.agreement:consensus",
    "qrels": "workbench.cli.campaign.agreement:qrels",
    "adjudication": "workbench.cli.campaign.agreement:adjudication",
    "agreement-by": "workbench.cli.campaign.agreement:agreement_by",
    "score": "workbench.cli.campaign.comparisons:score",
    "scores": "workbench.cli.campaign.comparisons:scores",
    "score-without": "workbench.cli.campaign.comparisons:score_without",
    "missed": "workbench.cli.campaign.comparisons:missed",
    "found": "workbench.cli.campaign.comparisons:found",
    "report": "workbench.cli.campaign.release:report",
    "release": "workbench.cli.campaign.release:release",
    "delete": "workbench.cli.campaign.campaigns:delete",
}


@click.group("campaign", cls=LazyGroup, parts=COMMANDS)
def command() -> None:
    """Run a campaign: topics, documents, runs, pool, judgments, agreement, qrels, scores."""
