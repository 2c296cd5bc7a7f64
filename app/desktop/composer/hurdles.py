"""Everything that stands in the way of planning what is written, in the order of the fields."""

from collections.abc import Callable, Sequence

from app.desktop.composer.accounts import AccountPicker
from app.desktop.composer.attachment import Attachment
from app.desktop.composer.contents import Contents
from app.desktop.composer.pin_fields import PinFields
from app.desktop.composer.problems import Obstacle, post_obstacles
from app.desktop.composer.when import WhenField
from app.desktop.composer.writing import Writing
from app.language import tr
from app.workspace.accounts.account import Account
from app.workspace.editing.draft import SHARED


class Hurdles:
    """Looks for obstacles in the fields, and knows where each is put right.

    ``go_to_file`` leads to the file of an account, by its key; "" means the file of all.
    """

    def __init__(
        self,
        accounts: AccountPicker,
        contents: Contents,
        writing: Writing,
        pin: PinFields,
        attachment: Attachment,
        when: WhenField,
        go_to_file: Callable[[str], None],
    ) -> None:
        self._accounts = accounts
        self._contents = contents
        self._writing = writing
        self._pin = pin
        self._attachment = attachment
        self._when = when
        self._ways = {
            "": writing.go_to_text,
            "title": writing.go_to_title,
            "pinterest_board_id": pin.focus_board,
            "media_storage_path": go_to_file,
        }

    def find(self, chosen: Sequence[Account], *, at_once: bool) -> list[Obstacle]:
        """The obstacles for the accounts that are chosen; ``at_once``: the time does not matter."""
        found = []
        if not chosen:
            text = tr("Choose at least one account.")
            found.append(Obstacle(text, self._accounts.focus_first, early=False))
        found += post_obstacles([self._contents.written(account) for account in chosen], self._ways)
        found += self._contents.tiktok_obstacles(self._ways["media_storage_path"])
        has_content = chosen or self._attachment.upload_for(SHARED) or not self._writing.is_empty()
        if not has_content:
            found.append(Obstacle(tr("A text post needs text."), self._writing.go_to_text, early=False))
        if problem := self._pin.link_problem():
            found.append(Obstacle(problem, self._pin.focus_link, early=False))
        if problem := self._attachment.problem():
            found.append(Obstacle(problem, self._attachment.field.focus_problem))
        if not at_once and (problem := self._when.problem()):
            found.append(Obstacle(problem, self._when.focus_problem))
        return found
