"""The content of a draft, as it's saved between keystrokes and restarts."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Self
from uuid import uuid4

from app.workspace.editing.boards import Board
from app.workspace.editing.options import PostOptions
from app.workspace.posts.planned import draft_key
from app.workspace.tiktok import TikTokDraft

SHARED = ""
"""The name of the shared version; other versions are named by their account's key."""


@dataclass(frozen=True, slots=True)
class LinkedText:
    """The shared text for all accounts, and the versions that differ from it, by account key.

    A version is linked to the shared text until it is changed, and again once it is changed to the same text.
    Editing the shared text never links a version: while typing, both may be equal for a moment.
    """

    shared: str = ""
    own: Mapping[str, str] = field(default_factory=dict)

    def of(self, version: str) -> str:
        """Return the current text of a version."""
        return self.own.get(version, self.shared)

    def differs(self, version: str) -> bool:
        """Whether a version differs from the shared one."""
        return version in self.own

    def write(self, version: str, text: str) -> Self:
        """Return a copy with another text for a version; the shared one also changes all linked versions."""
        if version == SHARED:
            return replace(self, shared=text)
        if text == self.shared:
            return self.link(version)
        return replace(self, own={**self.own, version: text})

    def link(self, version: str) -> Self:
        """Return a copy in which a version uses the shared text again."""
        return replace(self, own={key: text for key, text in self.own.items() if key != version})


@dataclass(frozen=True, slots=True)
class ComposerDraft:
    """The composer's contents.

    ``text`` and ``title`` are shared; ``texts`` and ``titles`` contain the versions that differ, by account
    key. ``waiting_keys`` are selected accounts that can't publish the current type of post. ``boards``
    contains the boards for pins, by account key, and ``link`` their web address. ``tiktok`` contains the
    choices for TikTok so far, by account key, and ``options`` those for companion networks. ``by_hand`` are
    the keys of accounts that the user publishes this to by hand, although Kalends could. ``at`` is in ms
    since 1970 UTC, None to publish immediately; ``zone`` is an IANA name. ``skipped`` is the selected local
    time, naive, if a clock change skips it, so that ``at`` is None. ``upload_id`` is the shared file's
    upload, empty for none; ``upload_ids`` are those of the files that replace it, by account key.
    ``replaces`` is the key of the post that this draft replaces, empty for none. ``language`` is the spelling
    language, such as ``en_GB``; empty for the default, ``off`` for no check. ``draft_id`` makes one
    idempotency key per account, so that sending twice makes one post.
    """

    text: str = ""
    account_keys: tuple[str, ...] = ()
    texts: dict[str, str] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    at: int | None = None
    zone: str = ""
    skipped: datetime | None = None
    upload_id: str = ""
    upload_ids: dict[str, str] = field(default_factory=dict)
    title: str = ""
    boards: dict[str, Board] = field(default_factory=dict)
    link: str = ""
    tiktok: dict[str, TikTokDraft] = field(default_factory=dict)
    options: dict[str, PostOptions] = field(default_factory=dict)
    replaces: str = ""
    language: str = ""
    waiting_keys: tuple[str, ...] = ()
    by_hand: tuple[str, ...] = ()
    draft_id: str = field(default_factory=lambda: str(uuid4()))

    @property
    def is_empty(self) -> bool:
        """Whether the draft has no content worth saving."""
        words = (self.text, self.title, self.link, *self.texts.values(), *self.titles.values())
        return not (self.uploads or any(word.strip() for word in words))

    @property
    def uploads(self) -> tuple[str, ...]:
        """All upload IDs without duplicates, the shared one first."""
        return tuple(dict.fromkeys(id_ for id_ in (self.upload_id, *self.upload_ids.values()) if id_))

    def emptied(self) -> "ComposerDraft":
        """Return a new draft without content, for the same accounts."""
        return ComposerDraft(account_keys=self.account_keys, waiting_keys=self.waiting_keys, zone=self.zone)

    def with_uploads(self, instead: Mapping[str, str]) -> "ComposerDraft":
        """Return the same draft with some uploads replaced, by ID."""
        own = {key: instead.get(id_, id_) for key, id_ in self.upload_ids.items()}
        return replace(self, upload_id=instead.get(self.upload_id, self.upload_id), upload_ids=own)

    def text_for(self, account_key: str) -> str:
        """Return the text of the post for one account."""
        return self.texts.get(account_key, self.text)

    def title_for(self, account_key: str) -> str:
        """Return the title of the post for one account."""
        return self.titles.get(account_key, self.title)

    def idempotency_key(self, account_key: str) -> str:
        """Return the idempotency key of the post for one account."""
        return draft_key(self.draft_id, account_key)
