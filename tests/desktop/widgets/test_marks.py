import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QHelpEvent, QImage, QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QHBoxLayout, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.theme import theme
from app.desktop.theme.tokens import LIGHT
from app.desktop.widgets import (
    Avatar,
    AvatarToggle,
    Badge,
    Chip,
    Divider,
    ElidedLabel,
    Face,
    IconLabel,
    Label,
    PracticeTag,
    Tag,
    initials,
    secondary,
)
from app.desktop.widgets.painting import mirrored, shadow
from tests.gallery.measure.recorder import Recorder


def color_at(widget: QWidget, x: int, y: int) -> str:
    return widget.grab().toImage().pixelColor(x, y).name().upper()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Maya Okafor", "MO"),
        ("@maya.makes", "MM"),
        ("okafor_studio", "OS"),
        ("Maya van der Berg", "MB"),
        ("Kalends", "K"),
        ("  ", "?"),
        ("\u65e5\u672c", "\u65e5"),
        ("!!!", "?"),
    ],
)
def test_initials(name: str, expected: str) -> None:
    assert initials(name) == expected


@given(st.text())
def test_initials_of_anything_are_short(name: str) -> None:
    assert 1 <= len(initials(name)) <= 6  # one letter can have a capital of three


def test_an_avatar_stands_on_its_account_color(qtbot: QtBot) -> None:
    avatar = Avatar(Face("Maya Okafor", color_index=1), 44)
    qtbot.addWidget(avatar)
    assert color_at(avatar, 22, 4) == LIGHT.account_fill(1)
    avatar.set_face(Face("Maya Okafor"))
    assert color_at(avatar, 22, 4) == LIGHT.sunken
    assert avatar.accessibleName() == "Maya Okafor"


def test_a_picture_fills_the_circle(qtbot: QtBot) -> None:
    picture = QPixmap(80, 20)
    picture.fill(QColor(LIGHT.ok))
    avatar = Avatar(Face("Maya", picture=picture), 44)
    qtbot.addWidget(avatar)
    assert color_at(avatar, 22, 22) == LIGHT.ok
    assert color_at(avatar, 0, 0) != LIGHT.ok


def test_the_badge_names_the_platform(qtbot: QtBot) -> None:
    avatar = Avatar(Face("Maya", "youtube"), 44)
    qtbot.addWidget(avatar)
    assert avatar.accessibleName() == "Maya, youtube"
    image = avatar.grab().toImage()
    found = {image.pixelColor(x, y).name().upper() for x in range(30, 48) for y in range(30, 48)}
    assert LIGHT.brand("youtube")[0] in found


def test_an_unknown_platform_still_has_a_badge(qtbot: QtBot) -> None:
    avatar = Avatar(Face("Maya", "peertube"), 44)
    qtbot.addWidget(avatar)
    assert not avatar.grab().isNull()


def test_a_chosen_account_is_ringed(qtbot: QtBot) -> None:
    toggle = AvatarToggle(Face("Maya", "x", 2, badge="account"))
    qtbot.addWidget(toggle)
    toggle.resize(toggle.sizeHint())
    ring = (toggle.width() // 2, 1)
    assert color_at(toggle, *ring) != LIGHT.accent
    toggle.click()
    assert color_at(toggle, *ring) == LIGHT.accent
    toggle.setEnabled(False)
    assert not toggle.grab().isNull()


def test_a_badge_hides_at_zero(qtbot: QtBot) -> None:
    badge = Badge(3, "bad")
    qtbot.addWidget(badge)
    narrow = badge.sizeHint().width()
    badge.set_count(0)
    assert badge.isHidden()
    badge.set_count(1234)
    assert not badge.isHidden()
    assert badge.accessibleName() == "1,234"
    assert badge.sizeHint().width() > narrow


@pytest.mark.parametrize("tone", ["ok", "warn", "bad"])
def test_a_tag_is_soft(qtbot: QtBot, tone: str) -> None:
    tag = Tag("active")
    qtbot.addWidget(tag)
    tag.resize(tag.sizeHint())
    assert color_at(tag, 4, 9) == LIGHT.sunken
    tag.set_tone(tone)  # type: ignore[arg-type]
    assert color_at(tag, 4, 9) == LIGHT.role(f"{tone}_soft")


def test_the_practice_tag_explains_itself(qtbot: QtBot) -> None:
    tag = PracticeTag()
    qtbot.addWidget(tag)
    assert tag.accessibleName() == "PRACTICE"
    assert "real platform" in tag.toolTip()
    assert tag.sizeHint().height() == 18


@pytest.mark.parametrize(
    ("elide", "start", "end"), [("end", "okafor", "\u2026"), ("middle", "okafor", ".jpg")]
)
def test_long_text_elides_and_stays_whole_for_a_reader(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, elide: str, start: str, end: str
) -> None:
    tips: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda _place, text, _owner: tips.append(text))
    text = "okafor-studio/winter-lookbook-with-a-long-name-e07a.jpg"
    label = ElidedLabel(text, elide=elide)  # type: ignore[arg-type]
    qtbot.addWidget(label)
    label.show()
    label.resize(160, 20)
    shown = label.shown_text()
    assert shown.startswith(start)
    assert shown.endswith(end)
    assert "\u2026" in shown
    point_at(label)
    assert label.toolTip() == ""  # screen readers would say it twice
    label.resize(800, 20)
    assert label.shown_text() == text
    point_at(label)
    assert tips == [text, ""]


def point_at(widget: QWidget) -> None:
    """Rest the pointer on a widget, so that it shows its tooltip."""
    there = QPoint(5, 5)
    QApplication.sendEvent(widget, QHelpEvent(QEvent.Type.ToolTip, there, widget.mapToGlobal(there)))


def test_a_label_follows_the_text_size_and_never_reads_markup(qapp: QApplication, qtbot: QtBot) -> None:
    label = Label("<b>Maya</b>", "title", "text2")
    qtbot.addWidget(label)
    before = label.sizeHint()
    theme.apply(qapp, "light", 1.5)
    assert label.font().pixelSize() == 30
    assert label.sizeHint().width() > before.width()
    plain = Label("Maya", "title")
    qtbot.addWidget(plain)
    assert label.sizeHint().width() > plain.sizeHint().width()


def test_a_label_takes_its_tone(qtbot: QtBot) -> None:
    label = Label("\u2588\u2588\u2588", "title", "bad")
    qtbot.addWidget(label)
    label.resize(label.sizeHint())
    image = label.grab().toImage()
    found = {
        image.pixelColor(x, y).name().upper() for x in range(image.width()) for y in range(image.height())
    }
    assert LIGHT.bad in found
    label.set_tone("ok")
    assert label.tone() == "ok"


def test_another_tone_or_kind_keeps_the_text_size(qapp: QApplication, qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    row = QHBoxLayout(window)
    for widget in (label := Label("98 %", "card"), button := secondary("Export")):
        row.addWidget(widget)
    window.show()
    theme.apply(qapp, "light", 1.5)
    label.set_tone("warn")
    button.set_kind("primary")
    assert (label.font().pixelSize(), button.font().pixelSize()) == (18, 20)


def test_icon_and_divider_draw(qtbot: QtBot) -> None:
    icon, line = IconLabel("lock", "text3", 16, name="Locked"), Divider()
    for widget in (icon, line):
        qtbot.addWidget(widget)
    assert icon.accessibleName() == "Locked"
    before = icon.grab().toImage()
    icon.set_icon("check", "ok")
    assert icon.grab().toImage() != before
    line.resize(20, 1)
    assert color_at(line, 5, 0) == LIGHT.line


@pytest.mark.parametrize(
    ("direction", "left"),
    [(Qt.LayoutDirection.LeftToRight, 10), (Qt.LayoutDirection.RightToLeft, 100 - 10 - 16)],
)
def test_a_mark_lies_where_the_language_begins(
    qtbot: QtBot, direction: Qt.LayoutDirection, left: int
) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.resize(100, 34)
    widget.setLayoutDirection(direction)
    assert mirrored(widget, QRect(10, 9, 16, 16)) == QRect(left, 9, 16, 16)


def test_a_shadow_is_lightest_at_its_rim_and_no_ring_around_what_floats(qapp: QApplication) -> None:
    theme.apply(qapp, "light")
    picture = QImage(200, 200, QImage.Format.Format_ARGB32_Premultiplied)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    shadow(painter, QRectF(60, 60, 80, 80), 8)
    painter.end()
    full = theme.current().color("shadow").alpha()
    below = [picture.pixelColor(100, y).alpha() for y in range(141, 200)]
    assert below == sorted(below, reverse=True)
    assert below[-1] == 0
    assert picture.pixelColor(100, 59).alpha() < full / 3 < below[0]


@pytest.mark.parametrize("icon", ["", "funnel"])
def test_a_chip_shortens_words_that_have_no_room(qtbot: QtBot, icon: str) -> None:
    chip = Chip("Nobody wrote this", icon)
    qtbot.addWidget(chip)
    usual = chip.sizeHint()
    for width, shown in ((usual.width(), "Nobody wrote this"), (usual.width() - 40, "…")):
        chip.resize(width, usual.height())
        recorder = Recorder(chip.size())
        chip.render(recorder, QPoint())
        written = "".join(one.words for one in recorder.writings)
        assert written.endswith(shown)
        assert all(one.ink.right() <= width for one in recorder.writings)
