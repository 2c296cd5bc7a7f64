"""One widget that shows every building block, to look at and to render in tests."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.widgets import (
    Avatar,
    AvatarToggle,
    Badge,
    Button,
    Card,
    CheckBox,
    Chip,
    ComboBox,
    DateField,
    Divider,
    ElidedLabel,
    EmptyState,
    Face,
    Field,
    FlowLayout,
    IconButton,
    IconLabel,
    KeyHint,
    Label,
    LineEdit,
    MessageStrip,
    Panel,
    PracticeTag,
    RadioButton,
    Segmented,
    Skeleton,
    Swatch,
    Tag,
    TimeField,
    danger,
    primary,
    quiet,
    secondary,
)


class Showcase(QWidget):
    """Everything at once, at 1100x1160."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("ground", "bg")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 12, 20, 20)
        column.setSpacing(12)
        column.addLayout(_header())
        column.addWidget(_chips())
        column.addLayout(_buttons())
        grid = QGridLayout()
        grid.setSpacing(16)
        grid.addWidget(_account_card(), 0, 0)
        grid.addWidget(_ended_card(), 0, 1)
        grid.addWidget(_inputs(), 1, 0)
        grid.addWidget(_strips(), 2, 0)
        grid.addWidget(_states(), 2, 1)
        column.addLayout(grid)
        column.addStretch(1)
        self.resize(1100, 1160)


def _row(*widgets: QWidget, gap: int = 10) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(gap)
    for widget in widgets:
        row.addWidget(widget)
    row.addStretch(1)
    return row


def _header() -> QHBoxLayout:
    row = _row(Label("November", "title"), IconButton("chevron-left", "Earlier"), secondary("Today"))
    views = [("month", "Month"), ("week", "Week"), ("day", "Day"), ("agenda", "Agenda")]
    for widget in (
        IconButton("undo-2", "Undo"),
        IconButton("redo-2", "Redo"),
        Segmented(views, "View"),
        primary("New post", "plus"),
    ):
        row.addWidget(widget)
    return row


def _chips() -> QWidget:
    holder = QWidget()
    flow = FlowLayout(holder, 10)
    chosen = Chip("All accounts", "funnel")
    chosen.setChecked(True)
    for chip in (
        chosen,
        Chip("Maya Okafor", "brand:instagram"),
        Chip("Okafor Studio", "brand:linkedin"),
        Chip("Status"),
        Chip("2 posts will fail", "triangle-alert", checkable=False, tone="warn"),
        Chip("Failed", tone="bad"),
    ):
        flow.addWidget(chip)
    return holder


def _buttons() -> QHBoxLayout:
    off = primary("Start")
    off.setEnabled(False)
    preview = IconButton("brand:linkedin", "Preview for LinkedIn", checkable=True)
    preview.setChecked(True)
    return _row(
        secondary("Open again", "external-link"),
        Button("Cancel", key_hint="Esc"),
        quiet("Paste the address instead", "clipboard-paste"),
        danger("Delete", "trash-2"),
        primary("Reconnect", size="small"),
        secondary("Renew", size="small"),
        off,
        preview,
        Badge(7),
        Badge(1, "bad"),
        KeyHint("Ctrl K"),
    )


def _account_head(name: str, handle: str, face: Face, *, practice: bool) -> QHBoxLayout:
    words = QVBoxLayout()
    words.setSpacing(3)
    title = [Label(name, "heading"), *([PracticeTag()] if practice else [IconLabel("badge-check")])]
    words.addLayout(_row(*title, gap=6))
    words.addWidget(Label(handle, "card", "text3"))
    head = QHBoxLayout()
    head.setSpacing(10)
    head.addWidget(Avatar(face), 0, Qt.AlignmentFlag.AlignTop)
    head.addLayout(words, 1)
    head.addWidget(Swatch(5))
    head.addWidget(IconButton("ellipsis", "More", size="small"), 0, Qt.AlignmentFlag.AlignTop)
    return head


def _account_card() -> Card:
    card = Card("dashed")
    face = Face("Practice Page", "facebook")
    card.body.addLayout(
        _account_head("Practice Page", "practice-page \u00b7 Facebook page", face, practice=True)
    )
    card.body.addLayout(
        _row(
            *(
                AvatarToggle(Face("Maya Okafor", platform, index, badge="account"))
                for index, platform in enumerate(("instagram", "linkedin", "x", "pinterest"))
            ),
            Avatar(Face("Okafor Studio", "linkedin")),
            Avatar(Face("Okafor Studio", "x")),
            Avatar(Face("Okafor Studio", "youtube", 5)),
            Avatar(Face("Okafor Studio", "tiktok", 4)),
        )
    )
    for toggle in card.findChildren(AvatarToggle)[:3]:
        toggle.setChecked(True)
    card.footer.addLayout(
        _row(IconLabel("flask-conical"), Label("Posts never leave this computer", "card", "text2"))
    )
    return card


def _ended_card() -> Card:
    card = Card("bad")
    card.tint_footer("bad_soft")
    face = Face("Maya Makes", "youtube")
    card.body.addLayout(_account_head("Maya Makes", "@mayamakes \u00b7 YouTube", face, practice=False))
    card.body.addLayout(
        _row(Label("18,940", "section"), Tag("active", "ok"), Tag("503", "bad"), Tag("late", "warn"))
    )
    row = _row(IconLabel("unplug", "bad"), Label("Access expired on 19 Nov", "card", "bad"))
    row.addWidget(primary("Reconnect", size="small"))
    card.footer.addLayout(row)
    return card


def _inputs() -> Panel:
    panel = Panel()
    grid = QGridLayout(panel)
    grid.setContentsMargins(20, 18, 20, 18)
    grid.setHorizontalSpacing(8)
    grid.setVerticalSpacing(12)
    board = ComboBox()
    board.addItems(["Winter 2026", "Studio"])
    wrong = Field("Address", LineEdit("http://plan.okafor"), "Tested before it is kept.")
    wrong.set_error("This address needs https.")
    grid.addWidget(Field("Pinterest board", board), 0, 0)
    grid.addWidget(Field("Pinterest link", LineEdit("okafor.studio/coat", "link")), 0, 1)
    grid.addWidget(Field("Day", DateField()), 1, 0)
    grid.addWidget(Field("Time", TimeField(), "Europe/Lisbon"), 1, 1)
    grid.addWidget(wrong, 2, 0)
    off = LineEdit("stp_rest_...")
    off.setEnabled(False)
    grid.addWidget(Field("API key", off, trailing=quiet("Show", size="small")), 2, 1)
    ticked, dotted = CheckBox("Try with practice accounts"), RadioButton("Keep times")
    ticked.setChecked(True)
    dotted.setChecked(True)
    grid.addLayout(_row(ticked, CheckBox("Off"), dotted, RadioButton("Off")), 3, 0, 1, 2)
    return panel


def _strips() -> QWidget:
    holder = QWidget()
    column = QVBoxLayout(holder)
    column.setContentsMargins(0, 0, 0, 0)
    failed = MessageStrip("error", "LinkedIn refused this post.", "Duplicate content", "Open")
    failed.fold()
    failed.fold()
    column.addWidget(
        MessageStrip(
            "warning", "Instagram needs 4:5 to 1.91:1. This image is 9:16.", action="Crop", closable=False
        )
    )
    column.addWidget(failed)
    column.addWidget(MessageStrip("info", "You are offline since 14:02. Changes wait and are sent later."))
    column.addWidget(
        ElidedLabel("okafor-studio/a-very-long-name-of-a-file-" * 4 + "07a.jpg", "mono", elide="middle")
    )
    column.addStretch(1)
    return holder


def _states() -> Panel:
    panel = Panel("faint")
    column = QVBoxLayout(panel)
    column.addWidget(
        EmptyState("calendar-days", "Nothing is planned in this month.", "New post", kind="primary")
    )
    column.addWidget(Divider(inner=True))
    column.addWidget(Skeleton(2))
    return panel
