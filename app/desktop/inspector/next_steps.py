"""Where a post can be seen, and what can be done about one that wasn't published."""

from urllib.parse import quote

from PySide6.QtWidgets import QWidget

from app.contract.enums import PostStatus
from app.desktop.connections.connecting import connectable
from app.desktop.opening import open_page
from app.desktop.widgets import Button, FlowLayout, primary, secondary
from app.desktop.words import platform_name
from app.language import tr
from app.platforms.cards import CARDS
from app.workspace.accounts.account import Account
from app.workspace.posts.planned import PlannedPost


def page_of(account: Account) -> str:
    """Return the address where a person sees what an account has published; "" where there is none."""
    card = CARDS.get(account.platform)
    if account.practice or card is None:
        return ""
    if card.pages.account and account.handle:
        return card.pages.account.format(quote(account.handle.removeprefix("@"), safe=""))
    return card.pages.own


def _way(platform: str, *, is_practice: bool) -> str:
    if is_practice:
        return tr("Open on practice {platform}", platform=platform)
    return tr("Open on {platform}", platform=platform)


class NextSteps(QWidget):
    """Buttons that lead on; hidden while there is nothing to do."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._page = ""
        self.look_button = secondary("", "external-link")
        self.connect_button = primary(tr("Reconnect"))
        self.write_button = secondary(tr("Rewrite it"), "pencil")
        flow = FlowLayout(self, gap=8)
        for button in self._buttons():
            flow.addWidget(button)
        self.look_button.clicked.connect(self._look)
        self.hide()

    def show_for(self, post: PlannedPost, account: Account | None, *, readable: bool, page: str = "") -> None:
        """Offer what helps a post of `account`.

        Args:
            post: as it is now.
            account: whose it is; None when it is no longer connected.
            readable: whether its text is at hand to write again.
            page: where people see the post; "" where that is not known.
        """
        failed = post.status is PostStatus.FAILED or post.may_be_live
        ended = account is not None and not account.is_available and account.platform in connectable()
        is_practice = account is not None and account.practice
        self._page = page or (page_of(account) if account is not None and post.may_be_live else "")
        name = platform_name(post.platform.value)
        self.look_button.setText(
            _way(name, is_practice=is_practice) if page else tr("Open {site}", site=name)
        )
        self.look_button.setVisible(bool(self._page))
        self.connect_button.setVisible(failed and ended)
        self.write_button.setVisible(failed and readable)
        # What has to come first is the main action: looking there, or having access again.
        must_look = bool(self._page) and post.may_be_live and not ended
        self.look_button.set_kind("primary" if must_look else "secondary")
        self.write_button.set_kind("secondary" if ended or post.may_be_live else "primary")
        for button in self._buttons():
            button.updateGeometry()
        self.setVisible(any(not button.isHidden() for button in self._buttons()))

    def _buttons(self) -> tuple[Button, ...]:
        return self.look_button, self.connect_button, self.write_button

    def _look(self) -> None:
        open_page(self._page)
