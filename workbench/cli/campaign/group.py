"""The commands of `workbench campaign`, in the order in which a campaign goes."""

from __future__ import annotations

import click

from workbench.cli.campaign.analysing import analyse
from workbench.cli.campaign.desk import check, docids, rules, runs
from workbench.cli.campaign.groups import group
from workbench.cli.campaign.loading import documents, topics
from workbench.cli.campaign.making import list_, new, show
from workbench.cli.campaign.planning import pack, plan
from workbench.cli.campaign.pool_contents import add_to_pool, pool_compare
from workbench.cli.campaign.pooling import assign, invite, pool
from workbench.cli.campaign.pools import (
    pool_close,
    pool_delete,
    pool_open,
    pool_rebuild,
    pool_rename,
    pools,
)
from workbench.cli.campaign.records import records
from workbench.cli.campaign.replaying import replay
from workbench.cli.campaign.results import agreement, qrels, score
from workbench.cli.campaign.run import run
from workbench.cli.campaign.transfer import import_, judgments


class InOrder(click.Group):
    """A group that lists its commands as they were added."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names in the order in which they were added."""
        return list(self.commands)


@click.group("campaign", cls=InOrder)
def command() -> None:
    """Run a campaign: topics, documents, runs, pool, judgments, agreement, qrels, scores."""


for part in (
    new,
    list_,
    show,
    topics,
    documents,
    rules,
    docids,
    check,
    group,
    runs,
    run,
    records,
    pack,
    plan,
    analyse,
    pool,
    pools,
    pool_compare,
    pool_rename,
    pool_rebuild,
    pool_delete,
    pool_open,
    add_to_pool,
    pool_close,
    invite,
    assign,
    replay,
    import_,
    judgments,
    agreement,
    qrels,
    score,
):
    command.add_command(part)
