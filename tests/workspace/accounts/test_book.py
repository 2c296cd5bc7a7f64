"""The list of accounts, and their colours."""

import json
from pathlib import Path
from uuid import uuid4

import pytest

from app.contract.base import READING
from app.contract.connections import Connection
from app.workspace.accounts import book as module
from app.workspace.accounts.book import AccountBook
from tests.workspace.model_service import HandClock, ModelService
from tests.workspace.opened import opened, until


def connections(number: int, platform: str = "x") -> list[Connection]:
    service = ModelService(HandClock())
    for _ in range(number):
        service.add_account(platform)
    told = [one | {"id": str(uuid4())} for one in service.connections]
    return [Connection.model_validate_json(json.dumps(one), context=READING) for one in told]


def test_a_removed_account_keeps_its_colour() -> None:
    book = AccountBook(practice=False)
    first, second = connections(1), connections(5)
    book.replace_all([*first, *second])
    before = {key: account.color_index for key, account in book.listed.items()}
    assert len(set(before.values())) == 6
    book.replace_all(second)
    book.replace_all([*connections(2), *second])
    book.replace_all([*first, *second])
    assert {key: account.color_index for key, account in book.listed.items()} == before


def test_accounts_removed_long_ago_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ACCOUNTS_MAX", 10)
    book = AccountBook(practice=False)
    for _ in range(20):
        book.replace_all(connections(5))
        assert len({account.color_index for account in book.listed.values()}) == 5
        assert max(account.color_index for account in book.listed.values()) < 40
    assert len(book._known) == 15


async def test_they_are_forgotten_on_disk_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ACCOUNTS_MAX", 3)
    service = ModelService(HandClock())
    async with opened(tmp_path, service) as workspace:
        for _ in range(4):
            service.connections.clear()
            kept = {service.add_account() for _ in range(2)}
            await workspace.refresh()
            await until(lambda: workspace.accounts.keys() == kept)  # noqa: B023  awaited here
    async with opened(tmp_path, service) as workspace:
        assert workspace.accounts.keys() == kept
        assert len(workspace._book._known) == 5
