"""Campaigns, topics and what loading did, as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from workbench.json_forms.collecting import CampaignJson, LoadedFiles, ScaleJson, TopicJson
from workbench.records import Topic
from workbench.workflow.campaigns.campaigns import Campaign
from workbench.workflow.campaigns.collection import Loaded
from workbench.workflow.campaigns.scales import scale_to_json


def campaign_json(campaign: Campaign) -> CampaignJson:
    """A campaign with its scale."""
    scale = cast(ScaleJson, scale_to_json(campaign.scale))
    return {"slug": campaign.slug, "name": campaign.name, "scale": scale}


def topic_json(topic: Topic) -> TopicJson:
    """A topic's statement."""
    return {
        "topic": topic.id,
        "title": topic.title,
        "description": topic.description,
        "narrative": topic.narrative,
        "subtopics": list(topic.subtopics),
    }


def loaded_json(done: Iterable[tuple[str, Loaded]]) -> LoadedFiles:
    """What loading each file did; the missing documents are those after the last one."""
    files = list(done)
    return {
        "files": [
            {
                "file": source,
                "read": loaded.read,
                "added": loaded.added,
                "changed": loaded.changed,
                "unchanged": loaded.unchanged,
                "passed_over": loaded.passed_over,
            }
            for source, loaded in files
        ],
        "missing": list(files[-1][1].missing) if files else [],
    }
