from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from app.desktop.theme import theme
from app.desktop.theme.tokens import DARK, LIGHT
from app.desktop.welcome import WelcomeScreen
from app.desktop.welcome.picture import WelcomePicture, _Card, _card_height
from app.desktop.welcome.service_form import TrustPanel
from app.desktop.widgets import Button, Label
from app.language import LANGUAGES, use
from app.workspace.messages import Problem
from tests.gallery.measure.fits import cut_texts
from tests.gallery.measure.texts import texts_of

KEY = "stp_rest_" + "5c" * 32
ADDRESS = "https://plan.okafor.studio"
FINGERPRINT = ":".join(["3A", "F1"] * 16)


@pytest.fixture
def screen(qapp: QApplication, qtbot: QtBot) -> WelcomeScreen:
    theme.apply(qapp, "light")
    made = WelcomeScreen()
    qtbot.addWidget(made)
    made.resize(1440, 900)
    with qtbot.waitActive(made):
        made.show()
    return made


@pytest.fixture
def asked(screen: WelcomeScreen) -> list[object]:
    """What the screen asked for."""
    seen: list[object] = []
    screen.start_here.connect(lambda practice: seen.append(("here", practice)))
    screen.start_service.connect(lambda *service: seen.append(service))
    screen.trust_accepted.connect(lambda: seen.append("trust"))
    screen.cancelled.connect(lambda: seen.append("cancelled"))
    screen.restore_wanted.connect(lambda: seen.append("restore"))
    return seen


def press(key: Qt.Key) -> None:
    focused = QApplication.focusWidget()
    assert focused is not None
    QTest.keyClick(focused, key)


def walk_to(is_there: Callable[[], bool]) -> None:
    for _ in range(12):
        if is_there():
            return
        press(Qt.Key.Key_Tab)
    raise AssertionError("the keyboard does not reach it")


def words(screen: WelcomeScreen) -> str:
    return "\n".join(label.text() for label in screen.findChildren(Label) if label.isVisible())


@pytest.mark.parametrize(("way", "practice"), [("here", False), ("practice", True)])
def test_a_click_on_a_way_starts_it(
    screen: WelcomeScreen, asked: list[object], way: str, practice: bool
) -> None:
    QTest.mouseClick(getattr(screen, way), Qt.MouseButton.LeftButton, pos=QPoint(30, 20))
    assert asked == [("here", practice)]


def test_the_button_of_the_usual_way_starts_it_once(screen: WelcomeScreen, asked: list[object]) -> None:
    (start,) = screen.here.findChildren(Button)
    QTest.mouseClick(start, Qt.MouseButton.LeftButton)
    assert asked == [("here", False)]


@pytest.mark.parametrize("key", [Qt.Key.Key_Space, Qt.Key.Key_Return])
def test_practice_is_started_by_keyboard_alone(
    screen: WelcomeScreen, asked: list[object], key: Qt.Key
) -> None:
    screen.setFocus()
    assert screen.here.hasFocus()
    walk_to(screen.practice.hasFocus)
    press(key)
    assert asked == [("here", True)]


def test_a_service_is_typed_and_tested_by_keyboard_alone(screen: WelcomeScreen, asked: list[object]) -> None:
    screen.setFocus()
    walk_to(screen.service.hasFocus)
    press(Qt.Key.Key_Return)
    assert screen.form.address.hasFocus()
    QTest.keyClicks(screen.form.address, f" {ADDRESS} ")
    walk_to(screen.form.key.hasFocus)
    QTest.keyClicks(screen.form.key, KEY)
    press(Qt.Key.Key_Return)
    assert asked == [(ADDRESS, KEY)]
    assert screen.service.is_open


def test_a_click_next_to_an_input_leaves_the_form_open(screen: WelcomeScreen) -> None:
    screen.service.click()
    form = screen.form
    QTest.mouseClick(form, Qt.MouseButton.LeftButton, pos=QPoint(2, form.height() - 2))
    assert screen.service.is_open
    screen.service.click()
    assert not screen.service.is_open


def test_a_backup_is_offered_where_it_replaces_nothing(screen: WelcomeScreen, asked: list[object]) -> None:
    screen.show_problem(Problem("No network."))
    assert not screen.restore.isVisible()
    screen.offer_backup()
    QTest.mouseClick(screen.restore, Qt.MouseButton.LeftButton)
    assert asked == ["restore"]
    screen.show_progress("Checking the backup")
    assert not screen.restore.isVisible()
    screen.show_problem(Problem("The backup is damaged."))
    assert screen.restore.isVisible()
    screen.service.click()
    assert not screen.restore.isVisible()
    screen.service.click()
    assert screen.restore.isVisible()


def test_nothing_is_promised_of_this_computer_while_a_service_is_chosen(screen: WelcomeScreen) -> None:
    promise = "Nothing leaves this computer"
    assert promise in words(screen)
    screen.service.click()
    assert promise not in words(screen)
    screen.show_problem(Problem("Not there.", kind="unreachable"))
    assert promise not in words(screen)
    screen.service.click()
    assert promise in words(screen)


def test_the_key_is_hidden_until_asked_for(screen: WelcomeScreen) -> None:
    screen.service.click()
    assert screen.form.key.echoMode() == QLineEdit.EchoMode.Password
    screen.form.key.reveal.setFocus()
    press(Qt.Key.Key_Space)
    assert screen.form.key.echoMode() == QLineEdit.EchoMode.Normal
    press(Qt.Key.Key_Space)
    assert screen.form.key.echoMode() == QLineEdit.EchoMode.Password


def test_a_missing_https_is_offered(screen: WelcomeScreen, asked: list[object]) -> None:
    screen.service.click()
    screen.form.address.setText("plan.okafor.studio")
    screen.form.submit.click()
    assert asked == []
    remedy = next(button for button in screen.form.findChildren(Button) if button.text() == "Add https://")
    assert remedy.isVisible()
    remedy.click()
    assert screen.form.values()[0] == ADDRESS
    assert screen.form.problem() == ""


@pytest.mark.parametrize(
    ("address", "key", "where", "word"),
    [
        ("", KEY, "address", "Enter"),
        ("http://x.org", KEY, "address", "unencrypted"),
        (ADDRESS, "abc", "key", "stp_rest_"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_sent(
    screen: WelcomeScreen, asked: list[object], address: str, key: str, where: str, word: str
) -> None:
    screen.service.click()
    screen.form.address.setText(address)
    screen.form.key.setText(key)
    screen.form.submit.click()
    assert asked == []
    assert word in screen.form.problem()
    assert (screen.form.address if where == "address" else screen.form.key).hasFocus()
    assert screen.form.values() == (address, key)


def test_progress_rests_everything_but_cancel(screen: WelcomeScreen, asked: list[object]) -> None:
    screen.show_progress("Starting the service on this computer")
    assert "Starting the service on this computer…" in words(screen)
    assert not any(way.isEnabled() for way in (screen.here, screen.practice, screen.service))
    press(Qt.Key.Key_Escape)
    assert asked == ["cancelled"]
    assert screen.here.isEnabled()


def test_a_refused_key_comes_back_to_its_field_and_nothing_is_lost(screen: WelcomeScreen) -> None:
    screen.service.click()
    screen.form.address.setText(ADDRESS)
    screen.form.key.setText(KEY)
    screen.form.submit.click()
    screen.show_progress("Testing the address and the key")
    screen.show_problem(
        Problem("The service did not accept this key.", details="request 8f2c", kind="key_refused")
    )
    assert screen.form.problem() == "The service did not accept this key."
    assert screen.form.key.hasFocus()
    assert screen.form.values() == (ADDRESS, KEY)
    QTest.keyClick(screen.form.key, Qt.Key.Key_End)
    QTest.keyClicks(screen.form.key, "0")
    assert screen.form.problem() == ""


def test_a_problem_of_no_field_is_shown_below_the_ways(screen: WelcomeScreen) -> None:
    screen.show_problem(Problem("The disk is full. Make room and start again."))
    assert "The disk is full" in words(screen)
    assert screen.here.hasFocus()
    screen.here.click()
    assert "The disk is full" not in words(screen)


@pytest.mark.parametrize("trusts", [True, False])
def test_an_unknown_certificate_is_a_question(
    screen: WelcomeScreen, asked: list[object], trusts: bool
) -> None:
    screen.service.click()
    screen.form.address.setText(ADDRESS)
    screen.ask_trust("plan.okafor.studio", FINGERPRINT)
    assert FINGERPRINT in words(screen).replace("\n", ":")
    assert not screen.here.isVisible()
    if trusts:
        (panel,) = screen.findChildren(TrustPanel)
        assert not panel.accept.isEnabled()
        panel.accept.click()
        assert asked == []
        panel.compared.setFocus()
        press(Qt.Key.Key_Space)
        walk_to(panel.accept.hasFocus)
    press(Qt.Key.Key_Space)
    assert asked == ["trust" if trusts else "cancelled"]
    assert screen.form.values()[0] == ADDRESS


def test_another_certificate_than_the_trusted_one_is_said_to_be_another(screen: WelcomeScreen) -> None:
    screen.service.click()
    screen.ask_trust("plan.okafor.studio", FINGERPRINT, changed=True)
    assert "certificate has changed" in words(screen)
    assert "renewed" in words(screen)
    assert "doesn't recognize" not in words(screen)


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("size", [(1024, 640), (1280, 800), (1920, 1080)])
def test_it_renders_with_the_first_day_in_red(
    qapp: QApplication, screen: WelcomeScreen, mode: theme.Mode, size: tuple[int, int]
) -> None:
    theme.apply(qapp, mode)
    screen.resize(*size)
    image = screen.grab().toImage()
    tokens = LIGHT if mode == "light" else DARK
    assert image.pixelColor(4, 4).name().upper() == tokens.sunken
    assert image.pixelColor(size[0] - 20, 4).name().upper() == tokens.surface
    reds = [y for y in range(image.height()) if image.pixelColor(60, y).name().upper() == tokens.rubric]
    assert len(reds) > 50
    theme.apply(qapp, "light")


def test_large_text_takes_the_room_of_a_picture_whose_slogan_would_break(
    qapp: QApplication, screen: WelcomeScreen
) -> None:
    picture = screen.findChild(WelcomePicture)
    assert picture is not None
    screen.resize(1_024, 640)
    assert picture.isVisible()
    theme.apply(qapp, "light", 2.0)
    assert not picture.isVisible()
    theme.apply(qapp, "light")
    assert picture.isVisible()


@pytest.mark.parametrize("changed", [True, False])
@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_the_question_about_a_certificate_is_whole_in_large_text(
    qapp: QApplication, qtbot: QtBot, language: str, changed: bool
) -> None:
    theme.apply(qapp, "light", 2.0)
    use(language)
    try:
        screen = WelcomeScreen()
        qtbot.addWidget(screen)
        screen.resize(1280, 800)
        screen.show()
        screen.service.click()
        screen.ask_trust("https://127.0.0.1:33159", FINGERPRINT, changed=changed)
        qtbot.waitUntil(lambda: bool(screen.findChildren(TrustPanel)))
        for _ in range(5):
            qapp.processEvents()
        assert not list(cut_texts(texts_of(screen)))
    finally:
        use("en")
        theme.apply(qapp, "light")


def test_cards_of_the_picture_are_as_high_as_their_text(qapp: QApplication) -> None:
    theme.apply(qapp, "light")
    heights = {text: _card_height(_Card("09:00", "x", 0, text, 0), 119) for text in ("Hem", "Winter board")}
    assert heights["Hem"] < heights["Winter board"]
    assert _card_height(_Card("09:00", "x", 0, "Winter board"), 119) == heights["Hem"]
