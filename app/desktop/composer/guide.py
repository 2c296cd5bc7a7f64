"""Shows what prevents scheduling, and leads to the fields that resolve it."""

from typing import Protocol

from app.desktop.composer.accounts import AccountPicker
from app.desktop.composer.alt_text_field import AltTextField
from app.desktop.composer.causes import Cause, CauseList
from app.desktop.composer.file_field import FileField
from app.desktop.composer.frame import ComposerFrame
from app.desktop.composer.platform_options import PinFields, TikTokFields
from app.desktop.composer.repairs import RepairRow
from app.desktop.composer.when import WhenField
from app.desktop.composer.writing import Writing
from app.desktop.widgets import announce
from app.desktop.words import platform_name
from app.language import filled, tr, trn
from app.workspace.editing.draft import SHARED
from app.workspace.editing.model import DraftModel
from app.workspace.editing.obstacles import Fix, Obstacle, Place

_ABOVE_FILE = (Place.ACCOUNTS, Place.TEXT, Place.TITLE)


class Fields(Protocol):
    """The composer's fields. ``ComposerPanel`` has them."""

    model: DraftModel
    frame: ComposerFrame
    problems: CauseList
    accounts: AccountPicker
    writing: Writing
    file: FileField
    alt_text: AltTextField
    repair: RepairRow
    pin: PinFields
    tiktok: TikTokFields
    when: WhenField


class ObstacleGuide:
    """Shows the causes that prevent scheduling, and goes to them.

    Attributes:
        is_tried: Whether the user tried to schedule the post, so that all causes are shown.
    """

    def __init__(self, fields: Fields) -> None:
        self._fields = fields
        self.is_tried = False

    def show(self) -> list[Obstacle]:
        """Show and return the causes that prevent scheduling."""
        said = [one for one in self._fields.model.obstacles() if one.is_early or self.is_tried]
        if self.is_tried:
            self._fields.pin.show_link_problem()
        shown = [one for one in said if not one.is_shown_there]
        of_file = [one.text for one in shown if one.place is Place.FILE]
        before = sum(one.place in _ABOVE_FILE for one in shown)
        causes = [self._cause(one) for one in shown if one.place is not Place.FILE]
        self._fields.problems.set_causes(causes, of_file, before)
        return said

    def _cause(self, obstacle: Obstacle) -> Cause:
        """Return a cause, with a button if it does more than focus a visible field."""
        model, key = self._fields.model, obstacle.account_key
        if obstacle.fix is not Fix.SHORTEN or len(model.chosen) < 2 or key == model.version:
            return Cause(obstacle.text)
        platform = platform_name(model.accounts.known[key].platform.value)
        is_own = model.text.differs(key)
        label = tr("Edit the one for {platform}") if is_own else tr("Write a shorter one for {platform}")
        return Cause(
            obstacle.text, filled(label, platform=platform), lambda: self._fields.writing.write_for(key)
        )

    def refuse(self, obstacles: list[Obstacle]) -> None:
        """Say why nothing is scheduled, and go to the first cause."""
        words = " ".join(one.text for one in obstacles)
        said = trn(
            "Not scheduled. {n} problem: {problems}",
            "Not scheduled. {n} problems: {problems}",
            len(obstacles),
            problems=words,
        )
        announce(self._fields.frame.body, said, urgent=True)
        self._fields.problems.skip_announcement()
        self._go_to(obstacles[0])
        self._fields.frame.reveal(self._fields.problems)
        self._fields.frame.reveal_focus()

    def _go_to(self, obstacle: Obstacle) -> None:
        """Focus the control that resolves a cause."""
        key = obstacle.account_key
        match obstacle.place:
            case Place.ACCOUNTS:
                self._fields.accounts.focus_first()
            case Place.TEXT:
                self._fields.writing.go_to_text(key)
            case Place.TITLE:
                self._fields.writing.go_to_title(key)
            case Place.FILE if key:
                self._go_to_file(key)
            case Place.FILE:
                self._fields.file.focus_problem()
            case Place.ALT_TEXT:
                self._show_version_of_file(key)
                self._fields.alt_text.open()
            case Place.BOARD:
                self._fields.pin.focus_board(key)
            case Place.LINK:
                self._fields.pin.focus_link()
            case Place.AUDIENCE:
                self._fields.tiktok.focus_audience(key)
            case Place.DISCLOSURE:
                self._fields.tiktok.focus_disclosure(key)
            case Place.TIME:
                self._fields.when.focus_problem()

    def _go_to_file(self, account_key: str) -> None:
        """Focus the control that fixes an account's file."""
        self._show_version_of_file(account_key)
        if not self._fields.repair.take_focus():
            self._fields.file.focus_problem()

    def _show_version_of_file(self, account_key: str) -> None:
        model = self._fields.model
        model.show_version(account_key if model.files.ids.differs(account_key) else SHARED)
