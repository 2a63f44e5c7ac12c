"""The commands of `workbench campaign`, in the order in which a campaign goes."""

from __future__ import annotations

import click

from workbench.cli.lazy import LazyGroup

COMMANDS = {
    "new": "workbench.cli.campaign.making:new",
    "list": "workbench.cli.campaign.making:list_",
    "show": "workbench.cli.campaign.making:show",
    "topics": "workbench.cli.campaign.loading:topics",
    "documents": "workbench.cli.campaign.loading:documents",
    "rules": "workbench.cli.campaign.desk:rules",
    "docids": "workbench.cli.campaign.desk:docids",
    "check": "workbench.cli.campaign.desk:check",
    "group": "workbench.cli.campaign.groups:group",
    "runs": "workbench.cli.campaign.desk:runs",
    "run": "workbench.cli.campaign.run:run",
    "records": "workbench.cli.campaign.records:records",
    "pack": "workbench.cli.campaign.planning:pack",
    "plan": "workbench.cli.campaign.planning:plan",
    "analyse": "workbench.cli.campaign.analysing:analyse",
    "pool": "workbench.cli.campaign.pooling:pool",
    "pools": "workbench.cli.campaign.pools:pools",
    "pool-compare": "workbench.cli.campaign.pool_contents:pool_compare",
    "pool-rename": "workbench.cli.campaign.pools:pool_rename",
    "pool-rebuild": "workbench.cli.campaign.pools:pool_rebuild",
    "pool-delete": "workbench.cli.campaign.pools:pool_delete",
    "pool-open": "workbench.cli.campaign.pools:pool_open",
    "add-to-pool": "workbench.cli.campaign.pool_contents:add_to_pool",
    "pool-close": "workbench.cli.campaign.pools:pool_close",
    "invite": "workbench.cli.campaign.pooling:invite",
    "assign": "workbench.cli.campaign.pooling:assign",
    "probes": "workbench.cli.campaign.probes:probes",
    "queue": "workbench.cli.campaign.queue:queue",
    "compare-documents": "workbench.cli.campaign.preferences:compare_documents",
    "compare-runs": "workbench.cli.campaign.preferences:compare_runs",
    "preferences": "workbench.cli.campaign.preferences:preferences",
    "replay": "workbench.cli.campaign.replaying:replay",
    "import": "workbench.cli.campaign.transfer:import_",
    "judgments": "workbench.cli.campaign.transfer:judgments",
    "probe-answers": "workbench.cli.campaign.transfer:probe_answers",
    "subtopic-qrels": "workbench.cli.campaign.transfer:subtopic_qrels",
    "agreement": "workbench.cli.campaign.results:agreement",
    "consensus": "workbench.cli.campaign.consensus:consensus",
    "qrels": "workbench.cli.campaign.consensus:qrels",
    "disputes": "workbench.cli.campaign.adjudicating:disputes",
    "dispute-rules": "workbench.cli.campaign.adjudicating:dispute_rules",
    "adjudicate": "workbench.cli.campaign.adjudicating:adjudicate",
    "decisions": "workbench.cli.campaign.adjudicating:decisions",
    "discussion-report": "workbench.cli.campaign.adjudicating:discussion_report",
    "agreement-topics": "workbench.cli.campaign.agreement_topics:agreement_topics",
    "agreement-time": "workbench.cli.campaign.agreement_time:agreement_time",
    "self-consistency": "workbench.cli.campaign.agreement_repeats:self_consistency",
    "agreement-machines": "workbench.cli.campaign.agreement_machines:agreement_machines",
    "plan-overlap": "workbench.cli.campaign.overlap:plan_overlap",
    "draw-overlap": "workbench.cli.campaign.overlap:draw_overlap",
    "score": "workbench.cli.campaign.results:score",
}


@click.group("campaign", cls=LazyGroup, parts=COMMANDS)
def command() -> None:
    """Run a campaign: topics, documents, runs, pool, judgments, agreement, qrels, scores."""
