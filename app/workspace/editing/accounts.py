"""The accounts of a draft, its shared file, and the files that replace it for single accounts."""

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Protocol, Self

from app.contract.enums import PostingPlatform, PostType
from app.language import tr
from app.platforms.cards import by_hand_key, name_of, offers_by_hand
from app.workspace.accounts.account import Account
from app.workspace.editing.draft import SHARED, LinkedText
from app.workspace.media.upload import Upload
from app.workspace.messages import Problem
from app.workspace.rules import RULES, check

_OTHER_KIND: Final = tr("A post can hold images or a video, not both. Create a second post for the other.")


def posting_platform(account: Account) -> PostingPlatform:
    """Return the posting platform of an account."""
    return PostingPlatform(account.platform.value)


def unusable(account: Account, post_type: PostType = PostType.TEXT, *, by_hand: bool = False) -> str:
    """Return why an account can't publish this type of post, as a message; "" if it can.

    ``by_hand``: the user publishes it, which needs no access.
    """
    if not account.is_available and not by_hand:
        return tr("Access has expired. Reconnect the account.")
    platform = posting_platform(account)
    if by_hand:
        platform = PostingPlatform(by_hand_key(platform))
    if platform not in RULES:
        return tr("{platform} doesn't support posts.", platform=name_of(account.platform.value))
    has_media = post_type is not PostType.TEXT
    issues = check(platform=platform, post_type=post_type, title=None, text="Text", has_media=has_media)
    return next((issue.message for issue in issues if issue.field == "post_type"), "")


@dataclass(frozen=True, slots=True)
class AccountChoice:
    """The selected accounts, among all connected ones.

    An account that can't publish the current type of post stays selected until the type changes.

    Attributes:
        known: Every account by key, in the order of connection.
        reasons: By account key, why it can't publish the current type of post; "" if it can.
        on: Keys of the selected accounts, usable or not.
        missing: Keys of a new draft's accounts that aren't known yet.
        by_hand: Keys of the accounts whose posts the user publishes by hand.
    """

    known: Mapping[str, Account] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)
    on: frozenset[str] = frozenset()
    missing: frozenset[str] = frozenset()
    by_hand: frozenset[str] = frozenset()

    @property
    def chosen(self) -> tuple[str, ...]:
        """Keys of the selected accounts that can be used, in the order of all accounts."""
        return tuple(key for key in self.known if key in self.on and not self.reasons[key])

    @property
    def waiting(self) -> tuple[str, ...]:
        """Keys of the selected accounts that can't be used or aren't known."""
        return tuple(sorted(self.on.difference(self.chosen)))

    def offer(self, accounts: Mapping[str, Account], post_type: PostType) -> Self:
        """Return a copy with the same selection among these accounts, for a type of post."""
        known = dict(accounts)
        offered = replace(self, known=known, reasons=_reasons(known, post_type, self.by_hand))
        if not self.missing or offered.chosen:
            return offered
        return replace(offered, on=self.on | (self.missing & known.keys()))

    def choose(self, wanted: Iterable[str], *, is_new: bool) -> Self:
        """Return a copy with only these accounts selected; unknown accounts of a new draft follow later."""
        keys = frozenset(wanted)
        on = frozenset(key for key in keys if key in self.known or not is_new)
        return replace(self, on=on, missing=keys - on)

    def switch(self, key: str, *, is_on: bool) -> Self:
        """Return a copy with an account selected or deselected."""
        return replace(self, on=self.on | {key} if is_on else self.on - {key}, missing=frozenset())


def _reasons(accounts: Mapping[str, Account], post_type: PostType, by_hand: Container[str]) -> dict[str, str]:
    """Return the reasons by account key, computed only once per platform and access."""
    known: dict[tuple[object, bool, bool], str] = {}
    found = {}
    for key, account in accounts.items():
        is_by_hand = key in by_hand and offers_by_hand(account.platform.value)
        kind = account.platform, account.is_available, is_by_hand
        if kind not in known:
            known[kind] = unusable(account, post_type, by_hand=is_by_hand)
        found[key] = known[kind]
    return found


class Uploads(Protocol):
    """Looks up the uploads of drafts by ID."""

    def get(self, upload_id: str) -> Upload | None: ...

    def listen(self, listener: Callable[[Upload], None]) -> Callable[[], None]: ...


@dataclass(frozen=True, slots=True)
class DraftFiles:
    """Upload IDs by version. All files are of the type of the shared one.

    Attributes:
        ids: The upload ID of each version, "" for none.
    """

    uploads: Uploads
    ids: LinkedText = field(default_factory=LinkedText)

    @property
    def all_ids(self) -> tuple[str, ...]:
        """All upload IDs without duplicates, the shared one first."""
        return tuple(dict.fromkeys(id_ for id_ in (self.ids.shared, *self.ids.own.values()) if id_))

    @property
    def post_type(self) -> PostType:
        """The type of post for these files."""
        shared = self.upload_for(SHARED)
        return shared.post_type if shared else PostType.TEXT

    def upload_for(self, version: str) -> Upload | None:
        """Return the upload of a version; None if it has none or the upload isn't known any more."""
        return self.uploads.get(self.ids.of(version))

    def needed(self, account_keys: Iterable[str]) -> dict[str, Upload | None]:
        """Return the uploads that accounts need, by ID; without accounts, the shared one."""
        keys = tuple(account_keys) or (SHARED,)
        ids = dict.fromkeys(id_ for key in keys if (id_ := self.ids.of(key)))
        return {id_: self.uploads.get(id_) for id_ in ids}

    def problem(self, account_keys: Iterable[str]) -> str:
        """Return what to do about a file before these accounts' posts can be scheduled; "" if nothing."""
        return next((words for one in self.needed(account_keys).values() if (words := _problem(one))), "")

    def attach(self, upload: Upload, version: str) -> Self:
        """Return a copy with another upload for a version; the first one becomes the shared one.

        Raises:
            Problem: of the kind ``invalid`` if its type differs from that of the shared file.
        """
        shared = self.upload_for(SHARED)
        is_alike = shared is not None and shared.post_type is upload.post_type
        if version == SHARED or shared is None:
            return replace(self, ids=LinkedText(upload.id, self.ids.own if is_alike else {}))
        if not is_alike:
            raise Problem(_OTHER_KIND, kind="invalid")
        return replace(self, ids=self.ids.write(version, upload.id))

    def remove(self, version: str) -> Self:
        """Return a copy without the version's own file; if it has none, without any file."""
        return replace(self, ids=self.ids.link(version) if self.ids.differs(version) else LinkedText())

    def link(self, version: str) -> Self:
        """Return a copy without the version's own file, so that it uses the shared one."""
        return replace(self, ids=self.ids.link(version))


def _problem(upload: Upload | None) -> str:
    if upload is None:
        return tr("Kalends no longer has this file. Attach it again, or remove it.")
    if upload.is_done or upload.is_underway:
        return ""
    if upload.is_failed:
        return tr("{reason} Try again, or remove the file.", reason=upload.reason)
    return tr("The upload of “{name}” is paused. Resume it, or remove the file.", name=upload.name)
