"""The tables: what is kept of accounts, campaigns and judgments. Constraints stand here, not in the code.

An unjudged pair is the absence of a row. A judgment event is never changed nor deleted.
"""

from workbench.storage.tables.campaigns import CampaignRow, CollectionListRow, DocumentRow, TopicRow
from workbench.storage.tables.columns import Base, Moment
from workbench.storage.tables.judging import AssessorRow, AssignmentRow, JudgmentEventRow
from workbench.storage.tables.people import AccountRow, InvitationRow, MemberRow, SessionRow, SignInAttemptRow
from workbench.storage.tables.pools import PoolEntryRow, PoolEventRow, PoolRow
from workbench.storage.tables.runs import CheckedFileRow, GroupMemberRow, GroupRow, PackedRunRow, RunRow

__all__ = [
    "AccountRow",
    "AssessorRow",
    "AssignmentRow",
    "Base",
    "CampaignRow",
    "CheckedFileRow",
    "CollectionListRow",
    "DocumentRow",
    "GroupMemberRow",
    "GroupRow",
    "InvitationRow",
    "JudgmentEventRow",
    "MemberRow",
    "Moment",
    "PackedRunRow",
    "PoolEntryRow",
    "PoolEventRow",
    "PoolRow",
    "RunRow",
    "SessionRow",
    "SignInAttemptRow",
    "TopicRow",
]
