"""The content of a draft, as it's stored between key strokes and restarts."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self
from uuid import uuid4

from app.workspace.editing.boards import Board
from app.workspace.editing.options import PostOptions
from app.workspace.tiktok import TikTokDraft

SHARED = ""
"""The name of the version for all accounts; every other version has the key of its account."""


@dataclass(frozen=True, slots=True)
class LinkedText:
    """One text for all accounts, and the versions that differ from it, by account key.

    Each version is linked to the shared one until it is changed, or changed to read like it. Writing the
    shared one never links a version: on its way it may read like that for a moment.
    """

    shared: str = ""
    own: Mapping[str, str] = field(default_factory=dict)

    def of(self, version: str) -> str:
        """Return a version as it reads now."""
        return self.own.get(version, self.shared)

    def differs(self, version: str) -> bool:
        """Return whether a version is one of its own."""
        return version in self.own

    def write(self, version: str, text: str) -> Self:
        """Return it with another version; with the shared one, all that are linked to it change."""
        if version == SHARED:
            return replace(self, shared=text)
        if text == self.shared:
            return self.link(version)
        return replace(self, own={**self.own, version: text})

    def link(self, version: str) -> Self:
        """Return it with a version's own text given up for the shared one."""
        return replace(self, own={key: text for key, text in self.own.items() if key != version})


@dataclass(frozen=True, slots=True)
class ComposerDraft:
    """The composer's contents.

    ``text`` and ``title`` are shared; ``texts`` and ``titles`` hold, by account key, what differs.
    ``waiting_keys`` are accounts that were chosen too, and take no posts of the present kind.
    ``boards`` holds, by account key, where pins go, and ``link`` the web page that they lead to.
    ``tiktok`` holds, by account key, what is chosen for TikTok so far, and ``options`` the same for companion
    networks.
    ``at`` is in ms since 1970 UTC, None to publish immediately; ``zone`` is an IANA name.
    ``upload_id`` names the upload of its file, empty for none; ``upload_ids``, by account key, those of files
    that take its place. ``replaces`` is the key of the post that gives
    way to this, empty for none.
    ``language`` is that of its spelling, such as ``en_GB``; empty for the usual one, ``off`` for no check.
    ``draft_id`` makes one idempotency key per account, so that sending twice makes one post.
    """

    text: str = ""
    account_keys: tuple[str, ...] = ()
    texts: dict[str, str] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    at: int | None = None
    zone: str = ""
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
    draft_id: str = field(default_factory=lambda: str(uuid4()))

    @property
    def is_empty(self) -> bool:
        """Whether nothing in it would be missed."""
        words = (self.text, self.title, self.link, *self.texts.values(), *self.titles.values())
        return not (self.uploads or any(word.strip() for word in words))

    @property
    def uploads(self) -> tuple[str, ...]:
        """The ids of its uploads, each once, the one for all accounts first."""
        return tuple(dict.fromkeys(id_ for id_ in (self.upload_id, *self.upload_ids.values()) if id_))

    def emptied(self) -> "ComposerDraft":
        """A new draft without content, for the same accounts."""
        return ComposerDraft(account_keys=self.account_keys, waiting_keys=self.waiting_keys, zone=self.zone)

    def with_uploads(self, instead: Mapping[str, str]) -> "ComposerDraft":
        """The same draft with other uploads in place of some, by their ids."""
        own = {key: instead.get(id_, id_) for key, id_ in self.upload_ids.items()}
        return replace(self, upload_id=instead.get(self.upload_id, self.upload_id), upload_ids=own)

    def text_for(self, account_key: str) -> str:
        """The text of this draft's post on one account."""
        return self.texts.get(account_key, self.text)

    def title_for(self, account_key: str) -> str:
        """The title of this draft's post on one account."""
        return self.titles.get(account_key, self.title)

    def idempotency_key(self, account_key: str) -> str:
        """The key for this draft's post on one account."""
        return f"{self.draft_id}:{account_key}"
