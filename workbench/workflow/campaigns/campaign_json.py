"""Campaigns, topics and what loading did, as JSON."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.json_forms.collecting import CampaignJson, LoadedFile, LoadedFiles, TopicJson
from workbench.json_forms.filling import filled
from workbench.records import Topic
from workbench.workflow.campaigns.campaigns import Campaign
from workbench.workflow.campaigns.collection import Loaded
from workbench.workflow.campaigns.scales import scale_to_json


def campaign_json(campaign: Campaign) -> CampaignJson:
    """A campaign with its scale."""
    return filled(CampaignJson, campaign, scale=scale_to_json(campaign.scale))


def topic_json(topic: Topic) -> TopicJson:
    """A topic's statement."""
    return filled(TopicJson, topic, topic=topic.id)


def loaded_json(done: Iterable[tuple[str, Loaded]]) -> LoadedFiles:
    """What loading each file did; the missing documents are those after the last one."""
    files = list(done)
    return {
        "files": [filled(LoadedFile, loaded, file=source) for source, loaded in files],
        "missing": list(files[-1][1].missing) if files else [],
    }
