"""Accounts on companion networks: connected with an app password, and disconnected again."""

from typing import Final
from uuid import UUID

from pydantic import ValidationError

from app.client import ClientError, EnvelopeMissing, RateLimited, ServerFailed, ValidationRefused
from app.contract.companion import ConnectPlace
from app.contract.connections import Connection
from app.contract.enums import ConnectionPlatform
from app.language import tr
from app.platforms.card import SignIn
from app.platforms.cards import CARDS, name_of
from app.workspace.accounts.account import Account
from app.workspace.core import Core
from app.workspace.messages import Problem
from app.workspace.problems import as_problem, details_of, problem_of_request
from app.workspace.sync.sync import Sync

_WRONG: Final = {
    "unknown_handle": tr("There's no account with this handle. Check the spelling."),
    "not_an_app_password": tr("That isn't an app password. They look like abcd-efgh-2345-6789."),
    "wrong_app_password": tr(
        "{platform} doesn't accept this app password. Copy it again or create a new one."
    ),
}
"""By the type of the service's issue, which is also the kind of the Problem."""


class Places:
    """Nothing is stored here except the accounts. Every coroutine raises Problem."""

    def __init__(self, core: Core, sync: Sync) -> None:
        self._core, self._sync = core, sync

    @property
    def offered(self) -> bool:
        """Whether the service can connect such accounts."""
        return "places" in self._sync.offers

    @property
    def takes_handles(self) -> bool:
        """Whether the service can connect accounts in the browser by their handle."""
        return "handles" in self._sync.offers

    def connects(self, platform: str) -> bool:
        """Whether the service can connect accounts of a platform, even if it isn't such a network."""
        card = CARDS[platform]
        if not card.is_companion:
            return True
        return self.offered and (card.sign_in is not SignIn.OWN_SERVER or "servers" in self._sync.offers)

    async def connect(
        self, platform: ConnectionPlatform, handle: str, app_password: str, again: Account | None = None
    ) -> Account:
        """Connect an account, or renew the access to ``again``. The app password isn't stored.

        The Problem's kind is ``unknown_handle``, ``not_an_app_password`` or ``wrong_app_password`` if these
        are the reason.
        """
        named = handle if again is None else again.identifier  # a handle may have changed since
        try:
            new = ConnectPlace(platform=platform, handle=named, app_password=app_password)
        except ValidationError as error:
            field = str(error.errors(include_input=False, include_url=False)[0]["loc"][0])
            raise _wrong("unknown_handle" if field == "handle" else "not_an_app_password", platform) from None
        try:
            connected = await self._core.client.places.connect(new)
        except ClientError as error:
            raise _problem(error, platform) from error
        return await self._take(connected)

    async def disconnect(self, account: Account) -> None:
        """Disconnect an account. Its posts stay scheduled, and fail unless it's connected again."""
        gone = tr("{account} is no longer connected.", account=account.name)
        await self._core.call(self._core.client.places.disconnect(UUID(account.key)), gone)
        with as_problem():
            await self._sync.reload_connections()

    async def _take(self, connected: Connection) -> Account:
        with as_problem():
            return await self._sync.take_connection(connected)


def _wrong(kind: str, platform: str) -> Problem:
    return Problem(_WRONG[kind].format(platform=name_of(platform)), kind=kind)


def _problem(error: ClientError, platform: str) -> Problem:
    name = name_of(platform)
    if isinstance(error, ValidationRefused):
        kind = next((issue.type for issue in error.issues if issue.type in _WRONG), None)
        if kind is not None:
            return _wrong(kind, platform)
    if isinstance(error, RateLimited):
        text = tr("{platform} allows only a few sign-ins. Try again in a few minutes.", platform=name)
        return Problem(text, details=details_of(error), kind="rate_limited")
    if isinstance(error, ServerFailed) and not isinstance(error, EnvelopeMissing):
        text = tr("{platform} can't be reached. Check your network, then try again.", platform=name)
        return Problem(text, details=details_of(error), kind="network_unreachable")
    return problem_of_request(error)
