"""Which accounts stay switched on while the post becomes one of another kind."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.contract.enums import ConnectionPlatform, PostType
from app.desktop.composer import ComposerPanel
from app.desktop.composer.account_chip import AccountChip
from app.desktop.composer.accounts import AccountPicker, fair_widths
from app.desktop.theme import theme
from app.workspace.accounts.account import Account
from app.workspace.editing.draft import ComposerDraft
from app.workspace.editing.model import DraftModel
from app.workspace.editing.schedule import Schedule
from tests.desktop.composer.composing import ready
from tests.desktop.running import LISBON, run, shown, workspace
from tests.desktop.studio import accounts
from tests.workspace.editing.samples import TOMORROW, KnownUploads, upload
from tests.workspace.media.samples import picture
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until

FILM = upload("film", PostType.VIDEO)
INSTAGRAM, X = ConnectionPlatform.INSTAGRAM, ConnectionPlatform.X


@pytest.fixture
def known(qapp: QApplication) -> dict[str, Account]:
    theme.apply(qapp, "light")
    return {account.key: account for account in accounts()}


def key_of(known: dict[str, Account], platform: ConnectionPlatform) -> str:
    return next(key for key, account in known.items() if account.platform is platform)


def picking(known: dict[str, Account], *chosen: str, file: str = "") -> tuple[DraftModel, AccountPicker]:
    """A draft with a text for accounts, and what chooses them."""
    draft = DraftModel(KnownUploads(upload("photo"), FILM), Schedule.of(TOMORROW, LISBON))
    draft.set_accounts(known)
    draft.load(ComposerDraft("A coat", chosen, upload_id=file))
    picker = AccountPicker(draft)
    picker.show_accounts()
    draft.listen(lambda change: picker.show_accounts() if change.accounts else picker.refresh())
    return draft, picker


def test_an_account_is_on_again_when_the_post_has_a_file_again(known: dict[str, Account]) -> None:
    chosen = key_of(known, INSTAGRAM), key_of(known, X)
    draft, picker = picking(known, *chosen, file="photo")
    assert [picker.toggle(key).isChecked() for key in chosen] == [True, True]
    draft.remove_file()
    assert draft.accounts.chosen == chosen[1:]
    with pytest.raises(KeyError):
        picker.toggle(chosen[0])
    draft.attach(FILM, "")
    assert [picker.toggle(key).isChecked() for key in chosen] == [True, True]


def test_what_was_switched_off_stays_off(known: dict[str, Account]) -> None:
    x = key_of(known, X)
    draft, picker = picking(known, x, file="photo")
    picker.toggle(x).click()
    draft.remove_file()
    assert draft.accounts.chosen == ()
    assert not picker.toggle(x).isChecked()


def test_names_are_shortened_only_where_the_line_is_full(known: dict[str, Account]) -> None:
    first, second = key_of(known, INSTAGRAM), key_of(known, X)
    known[first] = replace(known[first], handle="", name="Bookshop at the old market hall of Wuppertal")
    known[second] = replace(known[second], handle="", name="Ana")
    _draft, picker = picking(known, first, second, file="photo")
    long, short = picker.toggle(first), picker.toggle(second)
    picker.resize(900, 60)
    picker.show()
    assert (long.sizeHint().width(), short.sizeHint().width()) == (long.full_width(), short.full_width())
    picker.resize(320, 60)
    assert short.sizeHint().width() == short.full_width()
    assert long.sizeHint().width() < long.full_width()
    left = picker.width() - sum(part.sizeHint().width() for part in (long, short, picker.rest))
    assert 0 <= left < 40  # two gaps, and less than two letters
    assert long.accessibleName() == "Bookshop at the old market hall of Wuppertal on Instagram"
    assert long.toolTip() == "", "its name is shown on hover; as a tooltip, screen readers would say it twice"


def test_names_stay_readable_on_a_second_line_if_one_is_too_short_for_them(
    qapp: QApplication, known: dict[str, Account]
) -> None:
    chosen = [key for key, account in known.items() if account.is_available][:4]
    for key in chosen:
        known[key] = replace(known[key], handle="", name="Okafor Studio Lisbon")
    _draft, picker = picking(known, *chosen, file="photo")
    picker.resize(399, 30)
    picker.show()
    qapp.processEvents()
    chips = [picker.toggle(key) for key in chosen]
    assert len({chip.y() for chip in chips}) == 2
    assert {chip.shown_text() for chip in chips} == {"Okafor Studio Lisbon"}
    assert picker.rest.y() == chips[-1].y()
    picker.deleteLater()


def test_a_selected_account_is_in_the_line_whatever_selected_it(known: dict[str, Account]) -> None:
    draft, picker = picking(known)
    picker.resize(300, 60)
    picker.show()
    hidden = next(key for key in known if not draft.accounts.reasons[key] and picker.toggle(key).isHidden())
    draft.switch(hidden, is_on=True)
    assert picker.toggle(hidden).isVisible()
    assert picker.toggle(hidden).isChecked()


@given(st.lists(st.integers(1, 400), min_size=1, max_size=8), st.integers(0, 2_000))
def test_what_short_names_leave_is_for_long_ones(wanted: list[int], room: int) -> None:
    widths = fair_widths(wanted, room)
    assert sum(widths) <= room
    assert all(width <= want for width, want in zip(widths, wanted, strict=True))
    cut = [width for width, want in zip(widths, wanted, strict=True) if width < want]
    if cut:
        assert sum(widths) > room - len(wanted)
        assert min(cut) >= max(widths) - len(wanted)


def test_the_focus_stays_on_an_account(qapp: QApplication, known: dict[str, Account]) -> None:
    x = key_of(known, X)
    draft, picker = picking(known, file="photo")
    picker.resize(900, 60)
    picker.show()
    picker.activateWindow()
    qapp.processEvents()
    picker.toggle(x).setFocus()
    draft.remove_file()
    assert picker.toggle(x).hasFocus()
    picker.deleteLater()


def test_an_account_that_waits_for_a_file_still_does_when_the_composer_is_opened_again(
    qapp: QApplication, tmp_path: Path, service: ModelService
) -> None:
    account = str(service.add_account("instagram"))

    async def work() -> None:
        async with workspace(tmp_path, service) as opened:
            opened.save_composer(ComposerDraft("A coat", (account,)))
            async with shown(ComposerPanel(opened, LISBON)) as panel:
                await ready(panel)
                assert panel.model.accounts.chosen == ()
                QTest.keyClicks(panel.text_box.editor, "!")
                panel.close_panel()
            async with shown(ComposerPanel(opened, LISBON)) as panel:
                await ready(panel)
                panel.attachment.take([picture(tmp_path)])
                await until(lambda: panel.model.accounts.chosen == (account,))

    run(qapp, work)


@pytest.fixture
def many(known: dict[str, Account]) -> dict[str, Account]:
    one = known[key_of(known, X)]
    made = (replace(one, key=f"many-{number}", name=f"Studio {number}") for number in range(2_000))
    return {account.key: account for account in made}


def shown_in(picker: AccountPicker) -> list[str]:
    chips = picker.findChildren(AccountChip)
    return [chip.account.name for chip in chips if not chip.isHidden()]


def test_of_very_many_accounts_few_are_shown_and_the_others_found(many: dict[str, Account]) -> None:
    draft, picker = picking(many, "many-1900")
    assert picker.search.isHidden()
    assert shown_in(picker)[0] == "Studio 1900"
    assert len(shown_in(picker)) < 8

    picker.open_rest(is_open=True)
    assert not picker.search.isHidden()
    assert len(shown_in(picker)) == 40
    picker.search.setText("studio 1234")
    assert shown_in(picker)[-1] == "Studio 1234"
    picker.toggle("many-1234").click()
    assert draft.accounts.chosen == ("many-1234", "many-1900")

    picker.search.clear()
    assert len(shown_in(picker)) == 40
    assert draft.accounts.chosen == ("many-1234", "many-1900")
    picker.toggle("many-1900").click()
    assert [one.key for one in draft.chosen] == ["many-1234"]


def test_more_accounts_than_are_shown_can_be_on(many: dict[str, Account]) -> None:
    on = tuple(f"many-{number}" for number in range(100, 200))
    draft, picker = picking(many, *on)
    assert draft.accounts.chosen == on
    draft.attach(FILM, "")
    assert draft.accounts.chosen == on
    picker.open_rest(is_open=True)
    assert len(shown_in(picker)) == 40


def test_few_accounts_need_no_search(known: dict[str, Account], many: dict[str, Account]) -> None:
    draft, picker = picking(many)
    picker.open_rest(is_open=True)
    picker.search.setText("nobody")
    assert len(shown_in(picker)) <= 12  # those in the line
    draft.set_accounts(known)
    assert picker.search.isHidden()
    assert len(shown_in(picker)) == len(known)


def test_the_line_holds_what_matters_and_the_rest_is_behind_a_button(
    qapp: QApplication, known: dict[str, Account]
) -> None:
    x = key_of(known, X)
    _, picker = picking(known, x)
    picker.resize(400, 60)
    picker.show()
    qapp.processEvents()
    line = shown_in(picker)
    assert line[0] == known[x].name
    assert {chip.y() for chip in picker.findChildren(AccountChip) if chip.isVisible()} == {0}
    assert len(line) < len(known)
    assert picker.rest.accessibleName() == f"Show {len(known) - len(line)} more accounts"
    picker.rest.click()
    assert sorted(shown_in(picker)) == sorted(account.name for account in known.values())
    assert picker.rest.accessibleName() == "Show fewer accounts"
    picker.rest.click()
    assert shown_in(picker) == line
    picker.deleteLater()


def test_what_is_chosen_among_the_rest_comes_first_once_it_is_closed(
    qapp: QApplication, known: dict[str, Account]
) -> None:
    _, picker = picking(known, file="photo")
    picker.resize(400, 60)
    picker.show()
    qapp.processEvents()
    picker.rest.click()
    hidden = [chip for chip in picker.findChildren(AccountChip) if chip.isVisible() and not chip.reason][-1]
    hidden.click()
    key = hidden.account.key
    assert picker.toggle(key) is hidden  # nothing moves below the pointer
    picker.rest.click()
    first = next(chip for chip in picker.findChildren(AccountChip) if chip.isVisible())
    assert (first.account.key, first.isChecked()) == (key, True)
    picker.deleteLater()


def test_an_account_without_access_leads_to_reconnecting(
    qapp: QApplication, known: dict[str, Account]
) -> None:
    key = key_of(known, ConnectionPlatform.LINKEDIN)
    _, picker = picking({**known, key: replace(known[key], is_available=False)})
    picker.resize(400, 60)
    picker.show()
    qapp.processEvents()
    asked: list[str] = []
    picker.reconnect.connect(asked.append)
    chip = next(one for one in picker.findChildren(AccountChip) if one.account.key == key)
    assert chip.isVisible()
    assert chip.accessibleName() == f"Reconnect {known[key].name} on LinkedIn"
    assert chip.accessibleDescription() == "Access has expired. Reconnect the account."
    chip.setFocus()
    QTest.keyClick(chip, Qt.Key.Key_Return)
    assert asked == [key]
    picker.deleteLater()


def test_the_tooltip_has_all_of_a_shortened_handle(known: dict[str, Account]) -> None:
    chips = [AccountChip(account) for account in known.values()]
    assert any(chip.text().startswith("@") for chip in chips)
    assert all(chip.text() in chip.accessibleName() for chip in chips)
    assert all(chip.shows_name and not chip.toolTip() for chip in chips)
