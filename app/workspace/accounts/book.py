"""The accounts of one service, and their colours."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sqlalchemy import Connection as Transaction
from sqlalchemy import update
from sqlalchemy.dialects.sqlite import insert

from app.contract.connections import Connection
from app.platforms.cards import CARDS, is_by_hand
from app.workspace.accounts.account import Account
from app.workspace.store import first
from app.workspace.store.tables import accounts

_USUAL_COLORS = {
    key: card.brand.account_color for key, card in CARDS.items() if card.brand.account_color is not None
}
"""Places in the desktop's row of account colours, so that a platform looks familiar."""


class AccountBook:
    """Accounts in the order of their connection. A removed account keeps its colour in case it returns."""

    def __init__(self, *, practice: bool) -> None:
        self.practice = practice
        self.listed: dict[str, Account] = {}
        self._known: dict[str, Account] = {}

    def load(self, kept: Iterable[tuple[Account, bool]]) -> None:
        """Start with stored accounts, each with whether it was listed."""
        pairs = list(kept)
        self._known = {account.key: account for account, _ in pairs}
        self._list([account for account, listed in pairs if listed])

    def replace_all(self, connections: Iterable[Connection]) -> bool:
        """Replace all accounts with the service's list; return whether anything changed."""
        return self._list([self._account(connection) for connection in connections])

    def add(self, connection: Connection) -> Account:
        """Add a new connection, or update a known one."""
        account = self._account(connection)
        self._list([*(old for old in self.listed.values() if old.key != account.key), account])
        return account

    def set_practice(self, practice: bool) -> bool:
        """Set whether the platforms are stand-ins; return whether that changed."""
        if practice == self.practice:
            return False
        self.practice = practice
        listed = self.listed.values()
        self._list([replace(account, practice=self._is_practice(account.platform)) for account in listed])
        return True

    def _list(self, found: Sequence[Account]) -> bool:
        ordered = {account.key: account for account in sorted(found, key=_order)}
        changed = ordered != self.listed
        self.listed = ordered
        self._known.update(ordered)
        return changed

    def _account(self, connection: Connection) -> Account:
        key = str(connection.id)
        before = self._known.get(key)
        account = Account(
            key=key,
            platform=connection.platform,
            name=connection.display_name or connection.username or connection.account_identifier,
            handle=connection.username,
            identifier=connection.account_identifier,
            avatar_url=connection.avatar_url,
            followers=connection.follower_count,
            is_verified=connection.is_verified,
            is_available=connection.is_available,
            token_expires_at=connection.token_expires_at,
            connected_at=connection.created_at,
            color_index=before.color_index if before else self._free_color(connection.platform),
            practice=self._is_practice(connection.platform),
        )
        self._known[key] = account
        return account

    def _is_practice(self, platform: str) -> bool:
        """Whether an account is a stand-in: those that the user publishes to by hand never are."""
        return self.practice and not is_by_hand(platform)

    def _free_color(self, platform: str) -> int:
        """The usual colour of the platform's first account, or the first unused one."""
        taken = {account.color_index for account in self._known.values()}
        usual = _USUAL_COLORS.get(platform)
        if usual is not None and usual not in taken:
            return usual
        reserved = taken | set(_USUAL_COLORS.values())
        return next(index for index in range(len(reserved) + 1) if index not in reserved)


def _order(account: Account) -> tuple[object, str]:
    return account.connected_at, account.key


def load_accounts(transaction: Transaction) -> list[tuple[Account, bool]]:
    """Return every account that was ever listed, with whether it still is."""
    return first.accounts(transaction.exec_driver_sql)


def save_accounts(transaction: Transaction, listed: Iterable[Account]) -> None:
    """Store the current list."""
    transaction.execute(update(accounts).values(listed=False))
    put = insert(accounts)
    changed = {name: column for name, column in put.excluded.items() if name != "key"}
    values = [
        {
            **{field: getattr(account, field) for field in Account.__dataclass_fields__},
            "platform": account.platform.value,
            "listed": True,
        }
        for account in listed
    ]
    if values:
        transaction.execute(put.on_conflict_do_update(index_elements=["key"], set_=changed), values)
