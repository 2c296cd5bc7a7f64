"""The accounts being connected, and the integrations page."""

import asyncio

from app.client import ClientError, NotFound
from app.contract.connections import Connection
from app.contract.enums import ConnectionPlatform, PostingPlatform
from app.workspace.accounts.account import Account
from app.workspace.accounts.book import AccountBook
from app.workspace.connections.flow import ConnectionFlow
from app.workspace.core import Core
from app.workspace.problems import problem_of_request
from app.workspace.sync.sync import Sync
from app.workspace.web_pages import web_page


class ConnectionFlows:
    """Several attempts can be open; all end with the workspace."""

    def __init__(self, core: Core, book: AccountBook, sync: Sync) -> None:
        self._core, self._book, self._sync = core, book, sync
        self._open: set[ConnectionFlow] = set()

    @property
    def renews(self) -> bool:
        """Whether the service can reconnect an account before its access ends."""
        return "reconnect" in self._sync.offers

    async def begin(
        self, platform: ConnectionPlatform | PostingPlatform, again: Account | None = None
    ) -> ConnectionFlow:
        """Start connecting an account; raises Problem.

        ``again``: this account of the platform and no other.
        """
        flow = ConnectionFlow(
            self._core.client,
            ConnectionPlatform(platform.value),
            dict(self._book.listed),
            again=again,
            offers=lambda: self._sync.offers,
            take=self._take,
            clock=self._core.clock,
            pace=self._core.pace,
        )
        await flow.begin()
        self._open.add(flow)
        return flow

    async def integrations_page(self) -> str | None:
        """Return the URL for managing keys and connecting Threads, with a one-time sign-in if offered.

        None if the service can't be reached; a message says why.
        """
        base_url = self._core.client.base_url
        usual = f"{base_url}/integrations"
        try:
            link = (await self._core.client.sign_in_link()).url
        except NotFound:
            return usual
        except ClientError as error:
            self._core.messages.tell(problem_of_request(error).message())
            return None
        return web_page(link, service=base_url) or usual

    async def close(self) -> None:
        """Cancel all open attempts."""
        await asyncio.gather(*(flow.close() for flow in self._open))

    async def _take(self, connection: Connection) -> Account:
        await self._sync.take_connection(connection)
        return self._book.listed[str(connection.id)]
