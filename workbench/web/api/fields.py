"""What programs send: the types of fields, files as bodies, and pages of long lists with their cursors."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Callable, Collection, Iterable
from dataclasses import field
from itertools import islice
from typing import Annotated, Any, BinaryIO, Generic, TypeVar, cast, dataclass_transform

from pydantic import ConfigDict, Field, Strict
from typing_extensions import TypedDict

from workbench.errors import InvalidInput, rejected
from workbench.frozen import frozen_dataclass
from workbench.outside import parsed_json
from workbench.records import id_bytes

Item = TypeVar("Item")
Whole = Annotated[int, Strict()]
Flag = Annotated[bool, Strict()]
Number = Annotated[Whole, Field(ge=1, lt=2**63)]
GradeValue = Annotated[Whole, Field(ge=-(2**31), lt=2**31)]
Real = Annotated[float, Strict(), Field(allow_inf_nan=False)]
Seed = Annotated[Whole, Field(ge=0, lt=2**31)]
Names = Annotated[list[str], Field(min_length=1)]
ManyNames = Annotated[list[str], Field(min_length=1, max_length=10_000)]
ClientId = Annotated[str, Field(pattern=r"^[A-Za-z0-9-]{8,64}$")]
FORBID = ConfigDict(extra="forbid")
"""No field that is not named: a misspelt one would be lost in silence."""
USUAL, MOST = 100, 1000


class PageJson(TypedDict, Generic[Item]):
    """A part of a long list; `next` is the cursor of the part behind it, None in the last one."""

    items: list[Item]
    next: str | None


class Counted(TypedDict):
    """How many were added, changed or removed."""

    count: int


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def sent(record: type[Item]) -> type[Item]:
    """What a program sends, as a frozen dataclass without any field that it does not name."""
    made: Any = frozen_dataclass(record)
    made.__pydantic_config__ = FORBID
    found: type[Item] = made
    return found


@sent
class PageQuery:
    """Which page of a list: at most `limit` items, from the `cursor` that the page before has as `next`."""

    limit: Annotated[int, Strict(), Field(ge=1, le=MOST)] = USUAL
    cursor: Annotated[str, Field(max_length=4000)] = ""


def after(query: PageQuery) -> Any:
    """The key after which a page begins, None for the first page; raises InvalidInput."""
    if not query.cursor:
        return None
    try:
        return parsed_json(base64.b64decode(query.cursor.encode(), altchars=b"-_", validate=True))
    except ValueError:
        raise no_cursor() from None


def after_ids(query: PageQuery, count: int) -> tuple[str, ...] | None:
    """The same where keys are so many ids, which a database can look for; raises InvalidInput."""
    begin = after(query)
    if begin is None:
        return None
    try:
        if len(begin) == count and all(id_bytes(one) is not None and "\0" not in one for one in begin):
            return tuple(begin)
    except (AttributeError, TypeError, UnicodeEncodeError):
        pass
    raise no_cursor()


def cursor_of(key: Any) -> str:
    """The cursor of a page that begins after a key."""
    return base64.urlsafe_b64encode(json.dumps(key).encode()).decode()


def page_of(
    items: Iterable[Item], query: PageQuery, *, key: Callable[[Item], Any], form: Callable[[Item], Any]
) -> PageJson[Any]:
    """A page of a list whose items are in the order of their keys, which JSON must be able to say.

    Items may come and go between two pages: none of the others is left out or comes twice.
    """
    begin = after(query)
    rest = items if begin is None else (one for one in items if _plain(key(one)) > begin)
    try:
        found = list(islice(rest, query.limit + 1))
    except TypeError:
        raise no_cursor() from None
    more = len(found) > query.limit
    shown = found[: query.limit]
    return {"items": [form(one) for one in shown], "next": cursor_of(key(shown[-1])) if more else None}


def sorted_page(
    items: Iterable[Item], query: PageQuery, *, key: Callable[[Item], Any], form: Callable[[Item], Any]
) -> PageJson[Any]:
    """The same of a list in any order."""
    return page_of(sorted(items, key=key), query, key=key, form=form)


def _plain(key: Any) -> Any:
    return list(key) if isinstance(key, tuple) else key


def no_cursor() -> InvalidInput:
    """The error about a cursor that this list has not given."""
    return rejected(
        "cursor", None, "cursor", "this is not a cursor of this list", "use `next` of the previous page"
    )


FileName = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f/\\]+$")]
BUFFER = 256 * 1024


def choice_of(text: str, known: Collection[str], field: str) -> str | None:
    """One of several names, None for an empty text; raises InvalidInput for any other."""
    if text and text not in known:
        raise rejected(field, None, field, f"{text[:40]!r} is not known", f"choose one of {', '.join(known)}")
    return text or None


def buffered(file: BinaryIO) -> BinaryIO:
    """The body in larger parts than whoever sent it."""
    return cast(BinaryIO, io.BufferedReader(cast(io.RawIOBase, file), BUFFER))
