"""Options of posts on companion networks, and the limits of their servers, in the composer."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop.composer import ComposerPanel
from app.desktop.network_options import OptionsField, language_name
from app.desktop.theme import theme
from tests.desktop.composer.composing import Compose, kept, tomorrow
from tests.desktop.pressing import choose
from tests.desktop.running import LISBON, run, shown, workspace
from tests.gallery.measure.fits import cut_texts
from tests.gallery.measure.texts import texts_of
from tests.workspace.media.samples import picture
from tests.workspace.model_places import ModelPlaces, keep_places
from tests.workspace.model_service import ModelService
from tests.workspace.opened import Opened, settled, until


@pytest.fixture
def places(service: ModelService) -> ModelPlaces:
    return keep_places(service, servers=True)


def choose_in(field: OptionsField, words: str) -> None:
    """Choose from whichever list has these words."""
    for combo in (field.visibility, field.language):
        if combo.findText(words) >= 0:
            choose(combo, words)
            return
    raise AssertionError(words)


async def begin(opened: Opened, panel: ComposerPanel, *accounts: str) -> OptionsField:
    """Choose accounts once their limits are known; gives the field of the first."""
    await until(lambda: set(accounts) <= opened.accounts.keys())
    await until(lambda: all(opened.accounts[account].limits for account in accounts))
    for account in accounts:
        panel.accounts.toggle(account).setChecked(True)
    return panel.options.field(accounts[0])


@pytest.mark.parametrize("scale", [1.0, 2.0])
@pytest.mark.parametrize("words", ["Default", "The default of the whole account"])
def test_choices_are_below_each_other_where_one_would_be_cut(
    qapp: QApplication, qtbot: QtBot, scale: float, words: str
) -> None:
    theme.apply(qapp, "light", scale)
    field = OptionsField({"visibility", "language"})
    qtbot.addWidget(field)
    for combo in (field.visibility, field.language):
        combo.setItemText(0, words)
    field.resize(400 if scale == 1 else 610, 400)
    field.show()
    qapp.processEvents()
    assert not list(cut_texts(texts_of(field)))
    is_below = field.language.mapTo(field, QPoint()).y() > field.visibility.mapTo(field, QPoint()).y()
    assert is_below == (words != "Default")
    theme.apply(qapp, "light")


@pytest.mark.parametrize(
    ("taken", "shown"), [({"visibility", "language"}, "Account's default"), ({"language"}, "Not specified")]
)
def test_only_networks_with_defaults_promise_one(qapp: QApplication, taken: set[str], shown: str) -> None:
    del qapp
    assert OptionsField(taken).language.currentText() == shown


def test_options_are_sent_and_come_back_in_drafts(compose: Compose, places: ModelPlaces) -> None:
    account = places.add_account("mastodon")

    async def story(opened: Opened, panel: ComposerPanel) -> None:
        field = await begin(opened, panel, account)
        assert (field.visibility.currentText(), field.language.currentText()) == ("Account's default",) * 2
        panel.text_box.editor.setPlainText("Wool")
        QTest.keyClicks(field.warning, "Moths")
        choose_in(field, "Unlisted")
        assert "Left out of public timelines." in field.visibility.accessibleDescription()
        choose_in(field, "Deutsch")
        panel.autosave.keep()
        draft = await kept(opened)
        assert draft is not None
        assert draft.options[account] == panel.model.options_for(account)
        panel.submit()
        await settled(opened)

    compose(story, tomorrow())
    (post,) = places.posts.values()
    assert post["options"] == {"content_warning": "Moths", "visibility": "unlisted", "language": "de"}


def test_nothing_is_sent_where_nothing_is_chosen(
    compose: Compose, service: ModelService, places: ModelPlaces
) -> None:
    mastodon, x = places.add_account("mastodon"), service.add_account("x")

    async def story(opened: Opened, panel: ComposerPanel) -> None:
        await until(lambda: x in opened.accounts)
        panel.accounts.toggle(x).setChecked(True)
        assert not panel.options.isVisible()
        await begin(opened, panel, mastodon)
        assert panel.options.isVisible()
        panel.accounts.toggle(x).setChecked(False)
        panel.text_box.editor.setPlainText("Wool")
        panel.submit()
        await settled(opened)

    compose(story, tomorrow())
    (post,) = places.posts.values()
    assert post["options"] is None


def test_each_of_two_accounts_has_its_own(compose: Compose, places: ModelPlaces) -> None:
    first, second = places.add_account("mastodon"), places.add_account("mastodon")

    async def story(opened: Opened, panel: ComposerPanel) -> None:
        field = await begin(opened, panel, first, second)
        name = opened.accounts[first].name
        assert field.warning.accessibleName() == f"Content warning for {name}"
        choose_in(field, "Public")
        assert panel.model.options_for(first).visibility == "public"
        assert panel.model.options_for(second).visibility == ""
        panel.accounts.toggle(second).setChecked(False)
        assert field.warning.accessibleName() == "Content warning"

    compose(story, tomorrow())


def test_the_server_decides_how_long_a_text_is(compose: Compose, places: ModelPlaces) -> None:
    account = places.add_account("mastodon")
    places.limits[account] = {"text_max": 30, "link_length": 10}

    async def story(opened: Opened, panel: ComposerPanel) -> None:
        field = await begin(opened, panel, account)
        text = "At https://okafor.studio/coats now"
        panel.text_box.editor.setPlainText(text)
        (count,) = panel.model.lengths(panel.model.chosen)
        assert (count.used, count.allowed) == (17, 30)
        assert panel.model.overflow == len(text)
        QTest.keyClicks(field.warning, "Moths, knitting")
        assert text[panel.model.overflow :] == "now"
        assert [one.text for one in panel.model.obstacles()] == ["2 characters too long for Mastodon."]
        panel.submit()
        assert not panel.isHidden()

    compose(story, tomorrow())
    assert not places.posts


def test_the_server_decides_which_files_it_takes(
    qapp: QApplication, tmp_path: Path, service: ModelService, places: ModelPlaces
) -> None:
    account = places.add_account("mastodon")
    places.limits[account] = {"content_types": ["image/png"]}

    async def work() -> None:
        async with (
            workspace(tmp_path, service) as opened,
            shown(ComposerPanel(opened, LISBON, tomorrow())) as panel,
        ):
            await until(lambda: not panel.text_box.editor.isReadOnly())
            await begin(opened, panel, account)
            panel.attachment.take([picture(tmp_path)])
            await until(lambda: panel.model.upload)
            told = "Mastodon accepts only PNG. This file is JPEG."
            assert told in [one.text for one in panel.model.obstacles()]

    run(qapp, work)


def test_the_preview_shows_the_warning_and_who_can_see_it(compose: Compose, places: ModelPlaces) -> None:
    account = places.add_account("mastodon")

    async def story(opened: Opened, panel: ComposerPanel) -> None:
        field = await begin(opened, panel, account)
        panel.text_box.editor.setPlainText("Wool")
        QTest.keyClicks(field.warning, "Moths")
        choose_in(field, "Followers only")
        shown = panel._sketch(opened.accounts[account])
        assert (shown.warning, shown.audience) == ("Moths", "Followers only")

    compose(story, tomorrow())


def test_languages_are_called_what_they_call_themselves() -> None:
    assert language_name("de") == "Deutsch"
    assert language_name("pt-BR").startswith("Português")
    assert language_name("tlh-x") == "tlh-x"


def test_a_network_shows_only_the_options_it_has(compose: Compose, places: ModelPlaces) -> None:
    account = places.add_account("bluesky")

    async def story(opened: Opened, panel: ComposerPanel) -> None:
        await until(lambda: account in opened.accounts)
        panel.accounts.toggle(account).setChecked(True)
        field = panel.options.field(account)
        assert field.language.isVisible()
        assert not field.warning.isVisible()
        assert not field.visibility.isVisible()
        panel.text_box.editor.setPlainText("Wolle")
        choose_in(field, "Deutsch")
        panel.submit()
        await settled(opened)

    compose(story, tomorrow())
    (post,) = places.posts.values()
    assert post["options"] == {"language": "de"}
