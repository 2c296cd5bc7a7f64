"""Which accounts stay switched on while the post becomes one of another kind."""

import pytest
from PySide6.QtWidgets import QApplication

from app.contract.enums import ConnectionPlatform, PostType
from app.desktop.composer.accounts import AccountPicker
from app.desktop.theme import theme
from app.workspace.accounts.account import Account
from tests.desktop.studio import accounts

INSTAGRAM, X = ConnectionPlatform.INSTAGRAM, ConnectionPlatform.X


@pytest.fixture
def known(qapp: QApplication) -> dict[str, Account]:
    theme.apply(qapp, "light")
    return {account.key: account for account in accounts()}


def key_of(known: dict[str, Account], platform: ConnectionPlatform) -> str:
    return next(key for key, account in known.items() if account.platform is platform)


def test_an_account_is_on_again_when_the_post_has_a_file_again(known: dict[str, Account]) -> None:
    picker, chosen = AccountPicker(), (key_of(known, INSTAGRAM), key_of(known, X))
    picker.set_accounts(known, chosen, PostType.IMAGE)
    assert picker.chosen() == chosen
    picker.set_accounts(known, picker.chosen(), PostType.TEXT)
    assert picker.chosen() == chosen[1:]
    picker.set_accounts(known, picker.chosen(), PostType.VIDEO)
    assert picker.chosen() == chosen


def test_what_was_switched_off_stays_off(known: dict[str, Account]) -> None:
    picker, x = AccountPicker(), key_of(known, X)
    picker.set_accounts(known, (x,), PostType.IMAGE)
    picker.toggle(x).click()
    picker.set_accounts(known, picker.chosen(), PostType.TEXT)
    assert picker.chosen() == ()


def test_the_focus_stays_on_an_account(qapp: QApplication, known: dict[str, Account]) -> None:
    picker, x = AccountPicker(), key_of(known, X)
    picker.set_accounts(known, (), PostType.IMAGE)
    picker.show()
    picker.activateWindow()
    qapp.processEvents()
    picker.toggle(x).setFocus()
    picker.set_accounts(known, (), PostType.TEXT)
    assert picker.toggle(x).hasFocus()
    picker.deleteLater()
