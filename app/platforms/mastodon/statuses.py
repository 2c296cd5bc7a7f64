"""Statuses as servers return them, and whether one is a given publication."""

import re
from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Final

from pydantic import AwareDatetime, BaseModel, Field

from app.platforms.base import Publication, Published
from app.platforms.markup import Tag, tokens
from app.platforms.mastodon.servers import host_of
from app.platforms.publication import same_text
from app.platforms.rest import web_address

CLIENT_NAME: Final = "Kalends"
"""The name under which apps are registered. Servers show their owners which app made a status."""

_MENTION: Final = re.compile(r"(?<![\w@/])@([\w.-]+)@[\w.:-]+")
_LONGEST: Final = 256 * 1024
"""Characters of a status that are read. A longer one isn't ours."""
Id = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,100}$")]


class _Application(BaseModel):
    name: str | None = None


class Status(BaseModel):
    """A status. Counts the server doesn't return are None."""

    id: Id
    created_at: AwareDatetime
    edited_at: object = None  # the time doesn't matter, so servers may write it in any way
    url: str | None = None
    uri: str | None = None
    content: str | None = None
    spoiler_text: str | None = None
    application: _Application | None = None
    likes: Annotated[int | None, Field(alias="favourites_count")] = None
    reposts: Annotated[int | None, Field(alias="reblogs_count")] = None
    replies: Annotated[int | None, Field(alias="replies_count")] = None


class Source(BaseModel):
    """The text of a status as it was written."""

    text: str | None = None
    spoiler_text: str | None = None


def published(status: Status, server: str) -> Published:
    """Return a status as an item. IDs are only unique on their server, so they get its name."""
    return Published(content_id(status.id, server), web_address(status.url) or web_address(status.uri))


def content_id(status_id: str, server: str) -> str:
    return f"{status_id}@{host_of(server)}"


def is_before(status: Status, first: datetime) -> bool:
    return status.created_at < first


def may_be(status: Status) -> bool:
    """Whether Kalends may have made a status; True if the server doesn't say who did."""
    name = status.application.name if status.application else None
    return name is None or name == CLIENT_NAME


def is_from(source: Source, publication: Publication) -> bool | None:
    """Whether a status was written like a publication; None if the server doesn't return its text."""
    if source.text is None:
        return None
    return _is_written_so(source.text, source.spoiler_text, publication)


def looks_like(status: Status, publication: Publication) -> bool | None:
    """Whether a status is shown like a publication; None if it can't be told.

    Servers change a text when they show it: formatting, custom emoji, the way links and mentions are
    written. Only the same text proves something.
    """
    if status.content is None or len(status.content) > _LONGEST:
        return None
    is_same = _is_written_so(_plain(status.content), status.spoiler_text, publication, _without_servers)
    return True if is_same else None


def _is_written_so(
    text: str, warning: str | None, publication: Publication, shown: Callable[[str], str] = str
) -> bool:
    """Whether a text and its warning are those of a publication, after ``shown`` has changed both texts."""
    options = publication.options
    wanted = _as_stored(publication.text, options.content_warning if options else None)
    there = _as_stored(text, warning)
    return same_text(shown(there[0]), shown(wanted[0])) and same_text(there[1], wanted[1])


def _as_stored(text: str, warning: str | None) -> tuple[str, str]:
    """Return a text and its warning like servers store them: a warning without a text becomes the text."""
    return (text, warning or "") if text.strip() else (warning or "", "")


def _without_servers(text: str) -> str:
    return _MENTION.sub(r"@\1", text)


def _plain(content: str) -> str:
    """Return the text that a status shows."""
    return "".join(map(_shown, tokens(content)))


def _shown(token: Tag | str) -> str:
    if isinstance(token, str):
        return token
    return "\n" if token.name in {"br", "p"} and not token.is_end else ""
