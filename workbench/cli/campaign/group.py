"""The commands of `workbench campaign`, in the order in which a campaign goes."""

from __future__ import annotations

import click

from workbench.cli.campaign.loading import documents, runs, topics
from workbench.cli.campaign.making import list_, new, show
from workbench.cli.campaign.planning import pack, plan
from workbench.cli.campaign.pooling import assign, invite, pool
from workbench.cli.campaign.results import agreement, qrels, score
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
    runs,
    pack,
    plan,
    pool,
    invite,
    assign,
    import_,
    judgments,
    agreement,
    qrels,
    score,
):
    command.add_command(part)
