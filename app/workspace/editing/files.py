"""The file of a draft, and the files that replace it for single accounts."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Final, Protocol, Self

from app.contract.enums import PostType
from app.language import tr
from app.workspace.editing.draft import SHARED, LinkedText
from app.workspace.media.upload import Upload
from app.workspace.messages import Problem

_OTHER_KIND: Final = tr("A post can hold images or a video, not both. Create a second post for the other.")


class Uploads(Protocol):
    """The uploads that drafts name by id."""

    def get(self, upload_id: str) -> Upload | None: ...

    def listen(self, listener: Callable[[Upload], None]) -> Callable[[], None]: ...


@dataclass(frozen=True, slots=True)
class DraftFiles:
    """Uploads by version. All are of one kind, that of the file for all accounts.

    Attributes:
        ids: The id of each version's upload, "" for none.
    """

    uploads: Uploads
    ids: LinkedText = field(default_factory=LinkedText)

    @property
    def all_ids(self) -> tuple[str, ...]:
        """Every id, each once, the one for all accounts first."""
        return tuple(dict.fromkeys(id_ for id_ in (self.ids.shared, *self.ids.own.values()) if id_))

    @property
    def post_type(self) -> PostType:
        """The kind of post that the files make."""
        shared = self.upload_for(SHARED)
        return shared.post_type if shared else PostType.TEXT

    def upload_for(self, version: str) -> Upload | None:
        """Return the upload of a version; None without one, and where it is no longer known."""
        return self.uploads.get(self.ids.of(version))

    def needed(self, account_keys: Iterable[str]) -> dict[str, Upload | None]:
        """Return the uploads that accounts need, by id; without accounts the one for all."""
        keys = tuple(account_keys) or (SHARED,)
        ids = dict.fromkeys(id_ for key in keys if (id_ := self.ids.of(key)))
        return {id_: self.uploads.get(id_) for id_ in ids}

    def problem(self, account_keys: Iterable[str]) -> str:
        """Return what to do about a file before these accounts' posts can be scheduled; "" for nothing."""
        return next((words for one in self.needed(account_keys).values() if (words := _problem(one))), "")

    def attach(self, upload: Upload, version: str) -> Self:
        """Return it with another upload for a version; the first one is for all accounts.

        Raises:
            Problem: of the kind ``invalid`` when it is of another kind than the file for all accounts.
        """
        shared = self.upload_for(SHARED)
        is_alike = shared is not None and shared.post_type is upload.post_type
        if version == SHARED or shared is None:
            return replace(self, ids=LinkedText(upload.id, self.ids.own if is_alike else {}))
        if not is_alike:
            raise Problem(_OTHER_KIND, kind="invalid")
        return replace(self, ids=self.ids.write(version, upload.id))

    def remove(self, version: str) -> Self:
        """Return it without a version's own file; where it has none, without any."""
        return replace(self, ids=self.ids.link(version) if self.ids.differs(version) else LinkedText())

    def link(self, version: str) -> Self:
        """Return it without a version's own file, so that the version gets the shared one."""
        return replace(self, ids=self.ids.link(version))


def _problem(upload: Upload | None) -> str:
    if upload is None:
        return tr("Kalends no longer has this file. Attach it again, or remove it.")
    if upload.is_done or upload.is_underway:
        return ""
    if upload.is_failed:
        return tr("{reason} Try again, or remove the file.", reason=upload.reason)
    return tr("The upload of “{name}” is paused. Resume it, or remove the file.", name=upload.name)
