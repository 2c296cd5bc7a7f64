"""Connects accounts: the user consents in the browser, and the app waits for it to return."""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from datetime import datetime
from uuid import UUID

from app.client import (
    AccessEnded,
    ClientError,
    EnvelopeMissing,
    Forbidden,
    NotFound,
    ServiceClient,
    Unauthorized,
    ValidationRefused,
)
from app.contract.companion import ConnectionOutcome, ConnectionStage
from app.contract.connections import Connection, ConnectionInitiation, InitiateConnection
from app.contract.enums import ConnectionPlatform, PostingPlatform
from app.contract.limits import CONNECTION_STATE_LIFETIME
from app.contract.places import ConnectServer
from app.database import DatabaseError
from app.language import tr
from app.platforms.card import SignIn
from app.platforms.cards import CARDS, name_of
from app.platforms.page_messages import explain_page
from app.workspace.accounts.account import Account
from app.workspace.accounts.book import AccountBook
from app.workspace.clock import Clock, Pace, from_millis, to_millis
from app.workspace.connections.landing import (
    Arrival,
    Landing,
    callback_for,
    query_of,
    require_address,
    require_answer,
)
from app.workspace.core import Core
from app.workspace.messages import Problem
from app.workspace.problems import as_problem, details_of, problem_of_request
from app.workspace.sync.sync import Sync
from app.workspace.web_pages import web_page

_UNFINISHED = tr("Couldn't connect {name}: the service couldn't complete the sign-in. Try again.")

_SERVERS = {
    "not_a_server": tr("That isn't the name of a server, such as mastodon.social, or an address there."),
    "unknown_handle": tr("There's no account with this handle. Check the spelling."),
    "no_server": tr("The server of this account doesn't work as it should. Try an app password."),
    "not_local": tr("This service runs on another computer. Use an app password."),
    "not_mastodon": tr("That isn't a Mastodon-compatible server. Check the address."),
}
"""By the type of the service's issue."""
_UNREACHABLE = tr("This server can't be reached. Check its name, then try again.")
_HANDLE_UNREACHABLE = tr("The account's server can't be reached. Try again.")

TakeConnection = Callable[[Connection], Awaitable[Account]]


class ConnectionFlow:
    """One attempt. Open ``url`` in a browser, then await ``account``; the attempt expires at ``expires_at``.

    With ``again``, it reconnects this account, and accepts no other. With ``server``, it connects an account
    there, on a network of many servers; on Bluesky, that's the handle.
    """

    def __init__(
        self,
        client: ServiceClient,
        platform: ConnectionPlatform,
        known: dict[str, Account],
        *,
        again: Account | None = None,
        server: str = "",
        offers: Callable[[], Collection[str]] = tuple,
        take: TakeConnection,
        clock: Clock,
        pace: Pace,
    ) -> None:
        self.platform = platform
        self._client = client
        self._known = known
        self._again = again
        self._server = server
        self._offers = offers
        self._tells_attempts = "reconnect" in offers()
        self._take = take
        self._clock = clock
        self._pace = pace
        self._landing = Landing(self._arrived)
        self._initiation: ConnectionInitiation | None = None
        self._choose_url: str | None = None
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._hint: UUID | None = None
        self._has_failed = self._is_cancelled = False
        self._looks_through = again is None and not self._tells_attempts
        """Whether only the list shows the new account; an account renewed meanwhile would look the same."""
        self._result: asyncio.Future[Account] = asyncio.get_running_loop().create_future()
        self._result.add_done_callback(_retrieve)

    @property
    def url(self) -> str:
        """The page to open in the browser: the consent, or later the choice between several accounts."""
        return self._choose_url or self._begun().connect_url

    @property
    def expires_at(self) -> datetime:
        """When the attempt expires."""
        return self._begun().expires_at

    async def begin(self) -> None:
        """Request the page from the service. Raises Problem."""
        try:
            await self._landing.open()
            with as_problem():
                self._initiation = await self._initiate()
            if not web_page(self._initiation.connect_url):
                raise Problem(tr("The service returned an address browsers can't open."))
            self._task = asyncio.get_running_loop().create_task(self._watch())
        finally:
            if self._task is None:
                self._landing.close()

    async def _initiate(self) -> ConnectionInitiation:
        if self._server:
            return await self._initiate_at(self._server)
        if self._again is None:
            platform = PostingPlatform(self.platform.value)
            request = InitiateConnection(platform=platform, redirect_url=self._landing.url)
            return await self._client.initiate_connection(request)
        account_id = UUID(self._again.key)
        if self._tells_attempts:
            return await self._client.reconnect(account_id, self._landing.url)
        url = (await self._client.reauthorize(account_id)).reauth_url
        return ConnectionInitiation(
            connect_url=url,
            state=query_of(url).get("state", ""),
            expires_at=from_millis(self._clock()) + CONNECTION_STATE_LIFETIME,
            connection_id=account_id,
        )

    async def _initiate_at(self, server: str) -> ConnectionInitiation:
        request = ConnectServer(platform=self.platform, server=server, redirect_url=self._landing.url)
        try:
            return await self._client.places.initiate(request)
        except ValidationRefused as error:
            kinds = {issue.type for issue in error.issues if issue.field == "server"}
            if not kinds:
                raise
            is_handle = CARDS[self.platform].sign_in is SignIn.HANDLE
            unreachable = _HANDLE_UNREACHABLE if is_handle else _UNREACHABLE
            text = next((_SERVERS[kind] for kind in kinds if kind in _SERVERS), unreachable)
            raise Problem(text, details=details_of(error), kind="server") from error

    async def account(self) -> Account:
        """Wait for the account. Raises Problem with kind denied, failed, expired or cancelled."""
        return await asyncio.shield(self._result)

    async def paste(self, address: str) -> bool:
        """Finish with the browser's final URL. Raises Problem if it's unusable.

        Returns True if ``url`` is now another page, for choosing between several accounts.
        """
        answer = require_address(address)
        if not {"code", "error"} & query_of(address).keys():
            self._require_no_message(address)
        if arrival := self._landing.arrival(f"{answer.path}?{answer.query}", answer.netloc):
            self._arrived(arrival)
            return False
        require_answer(address, connect_url=self._begun().connect_url)
        with as_problem():
            try:
                outcome = await self._client.complete_connection(address.strip())
            except (NotFound, EnvelopeMissing):
                await self._visit_callback(address)
                return False
        return self._came_to(outcome)

    def _require_no_message(self, pasted: str) -> None:
        """Raise Problem with advice if the user pasted the message of an error page, or its address."""
        if advice := explain_page(self.platform, pasted):
            raise Problem(advice, kind="paste")
        if len(pasted.split()) > 1:
            text = tr(
                "Kalends doesn't know this message. Compare the app's ID and redirect address with Set up "
                "platforms."
            )
            raise Problem(text, kind="paste")

    def _came_to(self, outcome: ConnectionOutcome) -> bool:
        match outcome.stage:
            case ConnectionStage.CHOOSING if web_page(outcome.choose_url):
                self._choose_url = outcome.choose_url
                return True
            case ConnectionStage.DENIED | ConnectionStage.FAILED:
                self._fail(outcome.stage.value, outcome.message)
            case _:
                self._hint = outcome.connection_id
                self._wake.set()
        return False

    async def _visit_callback(self, address: str) -> None:
        """Do what the browser would have done, for a service that doesn't accept pasted URLs."""
        connect_url = self._begun().connect_url
        callback = callback_for(
            address, connect_url=connect_url, base_url=self._client.base_url, landing=self._landing.url
        )
        with as_problem():
            status = await self._client.visit(callback)
        if status >= 400:
            raise Problem(
                tr("The service didn't accept this address. Open the page again and copy the new address."),
                details=f"Status {status}",
                kind="paste",
            )
        self._wake.set()

    def cancel(self) -> None:
        """Cancel the attempt unless it's over; the service and a returning browser are notified."""
        if not self._result.done():
            self._is_cancelled = True
            self._landing.cancel()
        self._fail("cancelled", tr("The account wasn't connected."))

    async def close(self) -> None:
        """Cancel the attempt, and wait until it has stopped completely."""
        self.cancel()
        self._landing.close()
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def _begun(self) -> ConnectionInitiation:
        if self._initiation is None:
            raise RuntimeError("begin() comes first")
        return self._initiation

    def _arrived(self, arrival: Arrival) -> None:
        name = name_of(self.platform)
        if arrival.status == "denied":
            self._fail(
                "denied",
                tr("You declined access on {name}, so the account wasn't connected.", name=name),
            )
        elif arrival.status == "failed" and self._tells_attempts:
            self._has_failed = True  # the service gives the reason on request
            self._wake.set()
        elif arrival.status == "failed":
            self._fail("failed", _UNFINISHED.format(name=name))
        else:
            try:
                self._hint = UUID(arrival.connection_id)
            except ValueError:
                self._hint = None
            self._wake.set()

    async def _watch(self) -> None:
        """Wait for the end of the attempt, then keep listening for a browser that returns later."""
        try:
            await self._wait_for_end()
            if self._is_cancelled and "reconnect" in self._offers():
                with suppress(ClientError):  # its page then says that it was too late
                    await self._client.cancel_connection_attempt(self._begun().connection_id)
            await asyncio.sleep(max(0, to_millis(self.expires_at) - self._clock()) / 1000)
        finally:
            self._landing.close()

    async def _wait_for_end(self) -> None:
        try:
            while not self._result.done():
                if to_millis(self.expires_at) <= self._clock():
                    self._fail("expired", tr("The page expired. Connect again; it takes about a minute."))
                    return
                if (found := await self._look()) and not self._result.done():
                    self._result.set_result(await self._take(found))
                    return
                await self._ask_what_became_of_it()
                await self._pause()
        except (ClientError, DatabaseError) as error:
            problem = problem_of_request(error)
            self._fail(problem.kind, problem.text, problem.details)
        except Exception as error:
            if not self._result.done():
                self._result.set_exception(error)  # or the caller would wait for ever
            raise

    async def _ask_what_became_of_it(self) -> None:
        """Poll the service for an end that the browser didn't report, and for the reason of a failure."""
        if not self._tells_attempts:
            return
        try:
            outcome = await self._client.connection_attempt(self._begun().connection_id)
        except ClientError as error:
            self._looks_through |= self._again is None and isinstance(error, NotFound)
            if self._has_failed:
                self._fail("failed", _UNFINISHED.format(name=name_of(self.platform)))
            return  # the network may come back while the browser is open
        if outcome.stage in (ConnectionStage.DENIED, ConnectionStage.FAILED):
            self._fail(outcome.stage.value, outcome.message)
        elif outcome.stage is ConnectionStage.CONNECTED and outcome.connection_id not in (None, self._hint):
            self._hint = outcome.connection_id

    async def _look(self) -> Connection | None:
        try:
            return await self._by_id() or (await self._by_list() if self._looks_through else None)
        except (Unauthorized, AccessEnded, Forbidden):
            raise
        except ClientError:
            return None  # the network may come back while the browser is open

    async def _by_id(self) -> Connection | None:
        begun = self._begun().connection_id
        known = UUID(self._again.key) if self._again is not None and not self._again.is_available else None
        if self._server:
            return await self._by_place({self._hint, begun, known})
        for connection_id in (self._hint, begun, known):
            try:
                if connection_id and (found := await self._client.get_connection(connection_id)).is_available:
                    return found
            except NotFound:
                continue
        return None

    async def _by_place(self, wanted: Collection[UUID | None]) -> Connection | None:
        """Find one of these accounts among those on companion networks."""
        async for page in self._client.places.accounts():
            for place in page.data:
                if place.id in wanted and place.is_available:
                    return place
        return None

    async def _by_list(self) -> Connection | None:
        """Find the account in the list. If it was connected before, it's renewed under its old ID."""
        async for page in self._client.connections():
            for connection in page.data:
                if connection.platform == self.platform and self._is_news(connection):
                    return connection
        return None

    def _is_news(self, connection: Connection) -> bool:
        before = self._known.get(str(connection.id))
        if not connection.is_available:
            return False
        if before is None or not before.is_available:
            return True
        return connection.token_expires_at != before.token_expires_at

    async def _pause(self) -> None:
        self._wake.clear()
        try:
            async with asyncio.timeout(self._pace.connection_poll):
                await self._wake.wait()
        except TimeoutError:
            pass

    def _fail(self, kind: str, text: str, details: str = "") -> None:
        if not self._result.done():
            self._result.set_exception(Problem(text, details=details, kind=kind))
        self._wake.set()


def _retrieve(result: "asyncio.Future[Account]") -> None:
    """Retrieve the result, so that asyncio doesn't warn if an attempt ends without a waiting caller."""
    if not result.cancelled():
        result.exception()


class ConnectionFlows:
    """All open attempts; they end with the workspace."""

    def __init__(self, core: Core, book: AccountBook, sync: Sync) -> None:
        self._core, self._book, self._sync = core, book, sync
        self._open: set[ConnectionFlow] = set()

    @property
    def renews(self) -> bool:
        """Whether the service can reconnect an account before its access ends."""
        return "reconnect" in self._sync.offers

    async def begin(
        self,
        platform: ConnectionPlatform | PostingPlatform,
        again: Account | None = None,
        server: str = "",
    ) -> ConnectionFlow:
        """Start connecting an account. Raises Problem, of the kind ``server`` if the server can't be used.

        ``again``: only this account of the platform. ``server``: as entered by the user, on networks of many
        servers.
        """
        flow = ConnectionFlow(
            self._core.client,
            ConnectionPlatform(platform.value),
            dict(self._book.listed),
            again=again,
            server=server,
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
        except (NotFound, EnvelopeMissing):
            return usual
        except ClientError as error:
            self._core.messages.tell(problem_of_request(error).message())
            return None
        return web_page(link, service=base_url) or usual

    async def close(self) -> None:
        """Cancel all open attempts."""
        await asyncio.gather(*(flow.close() for flow in self._open))

    async def _take(self, connection: Connection) -> Account:
        return await self._sync.take_connection(connection)
