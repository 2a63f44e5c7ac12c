"""Topics: the list, and loading them from a file."""

from __future__ import annotations

from typing import Annotated, BinaryIO

from flask import Blueprint
from pydantic import Field

from workbench.formats.topics import TOPIC_FORMATS, read_topics
from workbench.json_forms.collecting import LoadedFiles, PageJson, TopicJson
from workbench.records import Topic
from workbench.web.access import here, member, organiser, takes_uploads
from workbench.web.api.cursors import PageQuery, page_of, sent
from workbench.web.api.files import FileName, choice_of
from workbench.web.api.operations import operation
from workbench.web.context import reading, writing
from workbench.workflow.campaigns.campaign_json import loaded_json, topic_json
from workbench.workflow.campaigns.collection import load_topics, topics_of
from workbench.workflow.people.access_tokens import Scope
from workbench.workflow.people.roles import Role

blueprint = Blueprint("topics", __name__, url_prefix="/campaigns/<slug>/topics")
looker = member(Role.ORGANISER, Role.ADJUDICATOR, Role.VIEWER, Role.PARTICIPANT)


@sent
class TopicsFile:
    """A file of topics; its format is recognised by the content unless it is named."""

    name: FileName = "topics"
    format: Annotated[str, Field(json_schema_extra={"enum": ["", *TOPIC_FORMATS]})] = ""


@blueprint.get("")
@looker
@operation(PageJson[TopicJson], query=PageQuery)
def index(query: PageQuery) -> PageJson[TopicJson]:
    """List the topics in their order; participants see their statements without subtopics."""
    with reading() as db:
        topics = enumerate(topics_of(db, here().id))
    form = _statement if here().roles == {Role.PARTICIPANT} else topic_json
    return page_of(topics, query, key=lambda one: one[0], form=lambda one: form(one[1]))


@blueprint.post("")
@takes_uploads
@organiser
@operation(LoadedFiles, scope=Scope.MANAGE, query=TopicsFile, takes_file=True)
def load(query: TopicsFile, file: BinaryIO) -> LoadedFiles:
    """Load topics from the body, plain or gzip; all of them, or none."""
    form = choice_of(query.format, TOPIC_FORMATS, "format")
    # Read before the database is locked: who saves meanwhile must not wait for a long file.
    topics = read_topics(file, source=query.name, format=form)
    with writing() as db:
        done = load_topics(db, here().id, topics, source=query.name)
    return loaded_json([(query.name, done)])


def _statement(topic: Topic) -> TopicJson:
    """What the page of the task shows of a topic."""
    return {**topic_json(topic), "subtopics": []}
