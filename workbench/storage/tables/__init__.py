"""The tables, with their constraints: accounts, campaigns, runs, pools, judgments, adjudications, releases.

An unjudged pair is the absence of a row. A judgment event is never changed or deleted.
"""

from workbench.storage.tables.campaigns import (
    CampaignRow,
    CollectionListRow,
    DocumentLoadRow,
    DocumentRow,
    InstructionsRow,
    KnownAnswerRow,
    OriginalRow,
    TopicRow,
)
from workbench.storage.tables.columns import Base, Moment
from workbench.storage.tables.jobs import JobRow
from workbench.storage.tables.judging import (
    AdjudicationEventRow,
    AssessorNoteRow,
    AssessorRow,
    AssignmentRow,
    JudgmentEventRow,
    KeptAsideRow,
    PreferenceEventRow,
    PreferenceTaskRow,
)
from workbench.storage.tables.people import (
    AccessTokenRow,
    AccountRow,
    InvitationRow,
    MailMessageRow,
    MemberRow,
    OneTimeTokenRow,
    OpenIdIdentityRow,
    RepeatableRequestRow,
    SessionRow,
    SignInAttemptRow,
    TrailRow,
)
from workbench.storage.tables.pools import (
    LearnerRoundRow,
    PoolEntryRow,
    PoolEventRow,
    PoolRow,
)
from workbench.storage.tables.releases import ReleasePartRow, ReleaseRow
from workbench.storage.tables.runs import CheckedFileRow, GroupMemberRow, GroupRow, PackedRunRow, RunRow
from workbench.storage.tables.searching import MissedSampleRow, SearchEventRow, SearchRow

__all__ = [
    "AccessTokenRow",
    "AccountRow",
    "AdjudicationEventRow",
    "AssessorNoteRow",
    "AssessorRow",
    "AssignmentRow",
    "Base",
    "CampaignRow",
    "CheckedFileRow",
    "CollectionListRow",
    "DocumentLoadRow",
    "DocumentRow",
    "GroupMemberRow",
    "GroupRow",
    "InstructionsRow",
    "InvitationRow",
    "JobRow",
    "JudgmentEventRow",
    "KeptAsideRow",
    "KnownAnswerRow",
    "LearnerRoundRow",
    "MailMessageRow",
    "MemberRow",
    "MissedSampleRow",
    "Moment",
    "OneTimeTokenRow",
    "OpenIdIdentityRow",
    "OriginalRow",
    "PackedRunRow",
    "PoolEntryRow",
    "PoolEventRow",
    "PoolRow",
    "PreferenceEventRow",
    "PreferenceTaskRow",
    "ReleasePartRow",
    "ReleaseRow",
    "RepeatableRequestRow",
    "RunRow",
    "SearchEventRow",
    "SearchRow",
    "SessionRow",
    "SignInAttemptRow",
    "TopicRow",
    "TrailRow",
]
