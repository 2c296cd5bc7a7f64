"""What stands in the way of planning a post, and where to put it right."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.contract.enums import PostType
from app.desktop.composer.accounts import posting_platform
from app.desktop.widgets import IconLabel, Label, Panel, PausedAnnouncer
from app.language import tr
from app.workspace.accounts.account import Account
from app.workspace.rules import MediaFacts, RuleIssue, check


@dataclass(frozen=True, slots=True)
class Obstacle:
    """A sentence and where to go. `early`: said while writing, not only when the person wants to send."""

    text: str
    go: Callable[[], None]
    early: bool = True


@dataclass(frozen=True, slots=True)
class Written:
    """What is to be published on one account."""

    account: Account
    post_type: PostType
    text: str
    title: str
    facts: MediaFacts | None
    board_id: str


def post_obstacles(posts: Iterable[Written], ways: Mapping[str, Callable[[str], None]]) -> list[Obstacle]:
    """What the platforms would refuse of posts, each sentence once.

    `ways` tells where a field of the contract is put right for an account; "" stands for every other field.
    """
    found: dict[str, Obstacle] = {}
    for post in posts:
        for issue in _issues(post):
            go = partial(ways.get(issue.field, ways[""]), post.account.key)
            found.setdefault(issue.message, Obstacle(issue.message, go, early=issue.type != "missing"))
    return list(found.values())


def _issues(post: Written) -> list[RuleIssue]:
    return check(
        platform=posting_platform(post.account),
        post_type=post.post_type,
        title=post.title,
        text=post.text,
        media=post.facts,
        board_id=post.board_id,
    )


class ProblemList(Panel):
    """The sentences, one below the other; it hides itself while there are none."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(fill="warn_soft", parent=parent)
        self._texts: tuple[str, ...] = ()
        self._announcer = PausedAnnouncer(self)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(12, 9, 12, 9)
        self._column.setSpacing(5)
        self.hide()

    def texts(self) -> tuple[str, ...]:
        """Return what is listed."""
        return self._texts

    def set_texts(self, texts: Sequence[str]) -> None:
        """List other sentences."""
        if tuple(texts) == self._texts:
            return
        self._texts = tuple(texts)
        while (item := self._column.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        for text in self._texts:
            self._column.addWidget(_line(text))
        self.setAccessibleName(" ".join(self._texts))
        self._announcer.tell(self.accessibleName() or tr("All problems are fixed."))
        self.setVisible(bool(self._texts))


def _line(text: str) -> QWidget:
    line = QWidget()
    row = QHBoxLayout(line)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(10)
    row.addWidget(IconLabel("triangle-alert", "warn", 14))
    row.addWidget(Label(text, "card", wrap=True), 1)
    return line
