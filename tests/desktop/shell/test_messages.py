"""Messages: said once, counted when repeated, acted on by whoever furnished the window."""

import pytest
from PySide6.QtCore import QEvent, QPoint, QRect
from PySide6.QtWidgets import QApplication, QHBoxLayout, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.shell import messages as module
from app.desktop.shell.messages import MessageArea, _stays_ms
from app.desktop.shell.regions import PaneArea
from app.desktop.theme import theme
from app.desktop.widgets import MessageStrip
from app.workspace.messages import Message, MessageAction


def area(qtbot: QtBot, qapp: QApplication) -> MessageArea:
    theme.apply(qapp, "light")
    host = QWidget()
    host.resize(900, 600)
    qtbot.addWidget(host)
    host.show()
    return MessageArea(host)


def test_the_same_message_again_is_counted(qtbot: QtBot, qapp: QApplication) -> None:
    messages = area(qtbot, qapp)
    for _ in range(3):
        messages.tell(Message("warning", "That time has passed."))

    assert messages.texts() == ["That time has passed."]
    assert messages.findChildren(MessageStrip)[0].count() == 3


def test_a_newer_message_about_a_trouble_takes_the_place_of_the_older_one(
    qtbot: QtBot, qapp: QApplication
) -> None:
    messages = area(qtbot, qapp)
    messages.tell(Message("error", "The new post is not saved yet.", about="new posts"))
    messages.tell(Message("error", "What you are writing is not saved yet.", about="writing"))
    messages.tell(Message("info", "The new post is saved now.", about="new posts"))
    assert messages.texts() == ["What you are writing is not saved yet.", "The new post is saved now."]


def test_a_message_about_what_a_panel_shows_is_only_announced(
    qtbot: QtBot, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    announced: list[str] = []
    monkeypatch.setattr(module, "announce", lambda _widget, text, **_how: announced.append(text))
    messages = area(qtbot, qapp)
    messages.tell(Message("warning", "A post was changed elsewhere.", about="conflicts"))
    messages.tell(Message("error", "What you are writing is not saved yet.", about="writing"))
    messages.set_in_view("conflicts")
    messages.tell(Message("warning", "2 posts were changed elsewhere.", about="conflicts"))
    assert messages.texts() == ["What you are writing is not saved yet."]
    assert announced[-1] == "2 posts were changed elsewhere."

    messages.set_in_view("")
    messages.tell(Message("warning", "3 posts were changed elsewhere.", about="conflicts"))
    assert messages.texts()[-1] == "3 posts were changed elsewhere."


@pytest.mark.parametrize(
    ("message", "goes"),
    [
        (Message("info", "Done."), True),
        (Message("warning", "That time has passed."), True),
        (Message("error", "That time has passed."), True),
        (Message("error", "It failed.", details="Request 7"), False),
        (Message("error", "It is not saved yet.", about="writing"), False),
        (Message("warning", "One post failed.", action=MessageAction("Show", "show")), False),
    ],
)
def test_what_only_answers_goes_by_itself(
    qtbot: QtBot, qapp: QApplication, message: Message, goes: bool
) -> None:
    messages = area(qtbot, qapp)
    messages.tell(message)
    assert messages.texts() == [message.text]
    assert (_stays_ms(message) is not None) is goes


def test_only_the_newest_few_stay(qtbot: QtBot, qapp: QApplication) -> None:
    messages = area(qtbot, qapp)
    for number in range(9):
        messages.tell(Message("error", f"Failure {number}"))

    assert messages.texts() == ["Failure 5", "Failure 6", "Failure 7", "Failure 8"]


def in_view(messages: MessageArea) -> list[str]:
    return [message.text for message, strip in messages._shown.items() if strip.isVisible()]


def test_information_pushes_out_neither_problems_nor_buttons(qtbot: QtBot, qapp: QApplication) -> None:
    messages = area(qtbot, qapp)
    messages.tell(Message("error", "Your text isn't saved yet.", about="writing"))
    messages.tell(Message("info", "Post cancelled.", action=MessageAction("Undo", "undo")))
    for number in range(6):
        messages.tell(Message("info", f"Post {number} moved."))
    expected = ["Your text isn't saved yet.", "Post cancelled.", "Post 4 moved.", "Post 5 moved."]
    assert messages.texts() == in_view(messages) == expected


def test_an_undo_stays_while_problems_are_shown(qtbot: QtBot, qapp: QApplication) -> None:
    messages = area(qtbot, qapp)
    for number in range(4):
        messages.tell(Message("error", f"Post {number} wasn't scheduled.", "Too long"))
    messages.tell(Message("info", "1 post will be published.", action=MessageAction("Undo", "unpublish")))
    for number in range(3):
        messages.tell(Message("info", f"Text {number} copied."))
    assert in_view(messages)[-2:] == ["1 post will be published.", "Text 2 copied."]
    messages.tell(Message("error", "Post 4 wasn't scheduled.", "Too long"))
    assert "1 post will be published." in in_view(messages)
    assert "Post 4 wasn't scheduled." in in_view(messages)


def test_a_new_problem_is_in_view_next_to_many_offers(qtbot: QtBot, qapp: QApplication) -> None:
    messages = area(qtbot, qapp)
    for number in range(6):
        action = MessageAction("Undo", "undo", str(number))
        messages.tell(Message("info", f"Post {number} cancelled.", action=action))
    messages.tell(Message("error", "Your text isn't saved yet.", about="writing"))
    expected = [f"Post {number} cancelled." for number in (2, 3, 4, 5)]
    assert in_view(messages) == [*expected, "Your text isn't saved yet."]


def test_a_repeated_problem_is_counted_whatever_its_request(qtbot: QtBot, qapp: QApplication) -> None:
    messages = area(qtbot, qapp)
    for number in range(400):
        messages.tell(Message("error", "The service had an internal error.", f"Request ID: {number}"))
    (strip,) = messages.findChildren(MessageStrip)
    assert strip.count() == 400
    assert details_of(strip) == [f"Request ID: {number}" for number in range(380, 400)]


def details_of(strip: MessageStrip) -> list[str]:
    return strip._details.text().split("\n")


def test_a_repeated_message_names_each_post_once(qtbot: QtBot, qapp: QApplication) -> None:
    messages = area(qtbot, qapp)
    for post in ("Monday", "Tuesday", "Monday"):
        messages.tell(Message("warning", "The service no longer has a post.", post))
    (strip,) = messages.findChildren(MessageStrip)
    assert strip.count() == 3
    assert details_of(strip) == ["Monday", "Tuesday"]


def test_a_repeated_message_stays_as_long_as_a_new_one(
    qtbot: QtBot, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_INFO_STAYS_MS", 300)
    messages = area(qtbot, qapp)
    messages.tell(Message("info", "Copied."))
    messages.window().setFocus()  # else its button has it
    qtbot.wait(200)
    messages.tell(Message("info", "Copied."))
    qtbot.wait(200)
    assert messages.texts() == ["Copied."]
    qtbot.waitUntil(lambda: not messages.texts(), timeout=30_000)


def test_too_many_problems_are_counted(qtbot: QtBot, qapp: QApplication) -> None:
    messages = area(qtbot, qapp)
    question = Message(
        "warning", "Publish now?", action=MessageAction("Yes", "yes"), other=MessageAction("No", "no")
    )
    messages.tell(question)
    for number in range(100):
        messages.tell(Message("error", f"Post {number} wasn't scheduled.", "Too long"))
    kept = [f"Post {number} wasn't scheduled." for number in range(81, 100)]
    told = messages.texts()
    assert told[0] == question.text
    assert [text for text in told if text.startswith("Post ")] == kept
    assert "81 older messages were closed because there were too many." in told


def test_problems_beyond_those_in_view_come_back_once_others_are_closed(
    qtbot: QtBot, qapp: QApplication
) -> None:
    messages = area(qtbot, qapp)
    problems = [Message("error", f"Problem {number}", about=f"problem {number}") for number in range(6)]
    for problem in problems:
        messages.tell(problem)
    assert in_view(messages) == [f"Problem {number}" for number in (2, 3, 4, 5)]
    height = messages.height()
    messages.tell(problems[0])
    assert in_view(messages) == [f"Problem {number}" for number in (3, 4, 5, 0)]
    assert messages.height() == height
    for number in (3, 4):
        messages._shown[problems[number]].dismissed.emit()
    assert in_view(messages) == [f"Problem {number}" for number in (1, 2, 5, 0)]


def test_the_button_of_a_message_does_what_it_says_and_the_message_goes(
    qtbot: QtBot, qapp: QApplication
) -> None:
    messages = area(qtbot, qapp)
    done: list[MessageAction] = []
    messages.set_handler(done.append)
    action = MessageAction("Show", "show_post", "key")
    messages.tell(Message("error", "Refused.", action=action))

    next(button for button in messages.findChildren(QPushButton) if button.text() == "Show").click()

    assert done == [action]
    assert messages.texts() == []


def test_messages_stay_inside_their_host(qtbot: QtBot, qapp: QApplication) -> None:
    messages = area(qtbot, qapp)
    messages.tell(
        Message("error", "A very long sentence " * 20, details="\n".join("abc" * 30 for _ in range(5)))
    )
    host = messages.window()
    host.resize(640, 400)
    qapp.processEvents()

    strip = messages.findChildren(MessageStrip)[0]
    assert host.rect().contains(strip.rect().translated(strip.mapTo(host, QPoint())))


@pytest.mark.parametrize("answer", ["Yes", "No"])
def test_each_answer_to_a_question_is_carried_out(qtbot: QtBot, qapp: QApplication, answer: str) -> None:
    messages, done = area(qtbot, qapp), list[str]()
    messages.set_handler(lambda action: done.append(action.verb))
    yes, no = MessageAction("Yes", "verb of Yes"), MessageAction("No", "verb of No")
    messages.tell(Message("info", "Shall it?", action=yes, other=no))
    (button,) = [one for one in messages.findChildren(QPushButton) if one.text() == answer]
    assert button.accessibleDescription() == "Shall it?"
    button.click()
    assert done == [f"verb of {answer}"]
    assert messages.texts() == []


def test_what_stays_takes_room_below_the_panes_and_covers_nothing(qtbot: QtBot, qapp: QApplication) -> None:
    theme.apply(qapp, "light")
    host = QWidget()
    place, pane = PaneArea(), QWidget()
    column = QVBoxLayout(host)
    column.setContentsMargins(0, 0, 0, 0)
    column.addWidget(place)
    place.add(pane)
    host.resize(900, 600)
    qtbot.addWidget(host)
    host.show()
    messages = MessageArea(place, place.keep_free)
    stays = Message("warning", "One post failed.", action=MessageAction("Show", "show"))
    messages.tell(stays)
    messages.tell(Message("info", "One post was moved."))
    qapp.processEvents()
    strips = {strip.accessibleName(): _box(strip, host) for strip in messages.findChildren(MessageStrip)}
    foot = _box(pane, host).bottom()
    assert foot < strips["One post failed."].top()
    assert strips["One post was moved."].bottom() < strips["One post failed."].top()
    for close in messages.findChildren(QPushButton):
        if close.accessibleName() == "Dismiss":
            close.click()
    qapp.processEvents()
    assert messages.texts() == []
    assert _box(pane, host).bottom() == host.height() - 1
    messages.tell(Message("info", "What goes by itself leaves the panes as they are."))
    qapp.processEvents()
    assert _box(pane, host).bottom() == host.height() - 1


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_a_message_has_room_for_its_buttons_beside_a_wide_panel(
    qtbot: QtBot, qapp: QApplication, scale: float
) -> None:
    theme.apply(qapp, "light", scale)
    window, place, panel = QWidget(), QWidget(), QWidget()
    row = QHBoxLayout(window)
    row.setContentsMargins(0, 0, 0, 0)
    row.addWidget(place, 1)
    row.addWidget(panel)
    panel.setFixedWidth(680)
    window.resize(700, 500)
    qtbot.addWidget(window)
    messages = MessageArea(place)
    window.show()
    compare = MessageAction("Compare", "compare")
    messages.tell(Message("warning", "2 posts were changed elsewhere.", action=compare))
    qapp.processEvents()
    (strip,) = messages.findChildren(MessageStrip)
    for button in strip.ways():
        assert button.width() >= button.sizeHint().width()
        assert strip.rect().contains(QRect(button.mapTo(strip, QPoint()), button.size()))
    assert window.rect().contains(_box(strip, window))


def _box(widget: QWidget, host: QWidget) -> QRect:
    return QRect(widget.mapTo(host, QPoint()), widget.size())


def test_a_message_that_is_told_again_is_announced_again(
    qtbot: QtBot, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(module, "announce", lambda _source, text, *, urgent: said.append(text))  # noqa: ARG005
    messages = area(qtbot, qapp)
    for _ in range(2):
        messages.tell(Message("warning", "That time has passed."))
    assert said == ["That time has passed."] * 2


def test_a_message_with_a_button_stays_longer_and_while_the_pointer_is_on_it(
    qtbot: QtBot, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    undo = Message("info", "Draft deleted.", action=MessageAction("Put it back", "put_back"))
    shorter = _stays_ms(Message("info", "Done."))
    longer = _stays_ms(undo)
    assert shorter is not None
    assert longer is not None
    assert longer >= 20_000 > shorter
    monkeypatch.setattr(module, "_LONG_STAYS_MS", 50)
    messages = area(qtbot, qapp)
    messages.tell(undo)
    messages.window().setFocus()  # else its button has it
    strip = messages.findChildren(MessageStrip)[0]
    monkeypatch.setattr(strip, "underMouse", lambda: True)
    qtbot.wait(200)
    assert messages.texts() == [undo.text]
    monkeypatch.setattr(strip, "underMouse", lambda: False)
    qtbot.waitUntil(lambda: not messages.texts(), timeout=30_000)


@pytest.mark.parametrize("stays", [False, True])
def test_messages_cover_no_bar_that_floats_over_a_pane(qtbot: QtBot, qapp: QApplication, stays: bool) -> None:
    theme.apply(qapp, "light")
    host, place, pane = QWidget(), PaneArea(), QWidget()
    column = QVBoxLayout(host)
    column.setContentsMargins(0, 0, 0, 0)
    column.addWidget(place)
    place.add(pane)
    foot = QVBoxLayout(pane)
    foot.addStretch()
    bar = QPushButton("Remove the samples")
    foot.addWidget(bar)
    host.resize(900, 600)
    qtbot.addWidget(host)
    host.show()
    messages = MessageArea(place, place.keep_free)
    messages.stay_above(bar)
    messages.tell(Message("info", "That's a sample."))
    if stays:
        messages.tell(Message("warning", "One post failed.", action=MessageAction("Show", "show")))

    def covers() -> bool:
        qapp.processEvents()
        strips = messages.findChildren(MessageStrip)
        assert all(host.rect().contains(_box(strip, host)) for strip in strips)
        return any(_box(strip, host).intersects(_box(bar, host)) for strip in strips)

    qtbot.waitUntil(lambda: not covers())
    bar.hide()
    qtbot.waitUntil(lambda: _box(messages, host).bottom() >= host.height() - 1)
    bar.show()
    qtbot.waitUntil(lambda: not covers())
    bar.deleteLater()
    qapp.sendPostedEvents(bar, QEvent.Type.DeferredDelete)
    messages.tell(Message("info", "Nothing floats there."))
    assert _box(messages, host).bottom() >= host.height() - 1
