"""Opens a home: starts its service or tests the one elsewhere, then opens its workspace."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from app.client import (
    AnswerNotUnderstood,
    CertificateRejected,
    ClientError,
    NotFound,
    RateLimited,
    ServiceAnswered,
    ServiceClient,
    Unauthorized,
)
from app.contract.connections import ConnectionListQuery
from app.contract.moving import DepartureState
from app.language import tr
from app.workspace.homes.certificates import (
    PresentedCertificate,
    presented_certificate,
    ssl_context,
)
from app.workspace.homes.credentials import Credentials, read_key_file
from app.workspace.homes.embedded import EmbeddedService, as_problem
from app.workspace.homes.moving.move import Move
from app.workspace.homes.moving.note import pending_move
from app.workspace.homes.owner import Owner, owner_of
from app.workspace.homes.programs import ServiceAhead
from app.workspace.homes.registry import Home, HomeKind, Homes
from app.workspace.messages import Problem
from app.workspace.network import Network
from app.workspace.problems import problem_of
from app.workspace.store.first import FirstRows
from app.workspace.workspace import Workspace

Progress = Callable[[str], None]


class UntrustedCertificateError(Problem):
    """The service's certificate isn't signed by a trusted authority. The user decides."""

    def __init__(self, certificate: PresentedCertificate, *, changed: bool) -> None:
        super().__init__(
            tr("The service's certificate has changed since you trusted it.")
            if changed
            else tr("This computer doesn't recognize the service's certificate."),
            details=certificate.fingerprint,
            kind="certificate",
        )
        self.certificate = certificate
        self.changed = changed


@dataclass(frozen=True, slots=True)
class Visit:
    """An open home: its workspace, and its embedded service if it has one."""

    home: Home
    workspace: Workspace
    embedded: EmbeddedService | None
    let_go: Callable[[], None]
    """Stops following changes of the proxy."""
    starting: "asyncio.Task[bool] | None" = None
    """The starting embedded service, if the workspace was opened before it; see `Visits.open`."""

    @property
    def is_service_ready(self) -> bool:
        return self.starting is None or self.starting.done()

    async def leave(self) -> None:
        """Close the workspace, then stop the service. Nothing is lost."""
        self.let_go()
        await self.workspace.close()
        if self.embedded is not None:
            await self.embedded.stop()
        if self.starting is not None:
            await asyncio.gather(self.starting, return_exceptions=True)


@dataclass(frozen=True, slots=True)
class Removed:
    """A home that was removed, and where its files are now; None if it had none.

    ``is_key_left``: its key may still be in the keyring.
    """

    home: Home
    aside: Path | None
    is_key_left: bool


class Visits:
    """Opens the homes of one data folder."""

    def __init__(self, homes: Homes, credentials: Credentials, ahead: ServiceAhead | None = None) -> None:
        """``ahead`` is one home's service if it's already started."""
        self.homes = homes
        self._ahead = ahead
        self.network = Network(homes.data, credentials.secrets)
        self._credentials = credentials

    async def named(self, address: str, key_file: Path, progress: Progress) -> Visit:
        """Open the service given on the command line, even if it can't be reached, if the key is known."""
        await self.network.load()
        key = await asyncio.to_thread(read_key_file, key_file)
        homes = await asyncio.to_thread(self._homes_at, _base_url(address))
        home = await self._home_with(homes, key)
        if home is None:
            return await self.begin_service(address, key, trusted=None, progress=progress)
        await asyncio.to_thread(self.homes.keep, home)
        return await self._open_workspace(home, key, None)

    async def open(self, home: Home, progress: Progress, first: FirstRows | None = None) -> Visit:
        """Open a stored home; ``first`` are the rows already read of its workspace. Raises Problem.

        A calendar on this computer that was open before opens immediately with its stored data, while its
        service starts. `Visit.starting` then returns whether the service has the same URL as last time, so
        that this visit can continue with it, and raises Problem if it doesn't start.
        """
        await self.network.load()
        embedded: EmbeddedService | None = None
        if home.is_embedded:
            known = await self._credentials.find(home.id)
            was_open_before = await asyncio.to_thread(self._was_open_before, home)
            ahead = self._ahead.take(str(home.id)) if self._ahead is not None else None
            embedded = EmbeddedService(self.homes, self._credentials, home, self.network, ahead)
            if known is not None and was_open_before:
                return await self._open_before_service(home, known, embedded, progress, first)
            try:
                home = await embedded.start(progress)
            except BaseException:
                await embedded.stop()
                raise
        key = await self._credentials.find(home.id)
        if key is None:
            raise Problem(
                tr(
                    "The API key of {name} is missing from this computer. Connect to the service again.",
                    name=home.name,
                ),
                kind="key_missing",
            )
        visit = await self._open_workspace(home, key, embedded, first)
        if not home.is_embedded:
            await asyncio.to_thread(self.homes.keep, home)  # it's the one that was open last
        return visit

    def _was_open_before(self, home: Home) -> bool:
        files = (self.homes.folder(home) / "workspace.db", home.ca_file)
        return bool(home.base_url) and all(file is not None and file.is_file() for file in files)

    async def _open_before_service(
        self,
        home: Home,
        key: str,
        embedded: EmbeddedService,
        progress: Progress,
        first: FirstRows | None,
    ) -> Visit:
        release = self.network.way.hold()
        starting = asyncio.create_task(_start(embedded, home, progress, release), name="start of the service")
        try:
            visit = await self._open_workspace(home, key, embedded, first)
        except BaseException:
            await asyncio.gather(starting, return_exceptions=True)
            raise
        return replace(visit, starting=starting)

    async def begin_here(self, *, practice: bool, progress: Progress) -> Visit:
        """Create a home on this computer and open it. Raises Problem."""
        name = tr("Practice calendar") if practice else tr("My calendar")
        home = Home(kind=HomeKind.EMBEDDED, name=name, practice=practice)
        return await self.open(home, progress)

    async def begin_service(
        self, address: str, key: str, *, trusted: PresentedCertificate | None, progress: Progress
    ) -> Visit:
        """Test a service and, if it accepts the key, store it and open it.

        Raises UntrustedCertificateError if the user has to decide, otherwise Problem. The key is only sent to
        a trusted certificate, also on this computer, where another program may listen on the port.
        """
        await self.network.load()
        base_url = _base_url(address)
        homes = await asyncio.to_thread(self._homes_at, base_url)
        home = _new_home(base_url, homes)
        if trusted is not None:
            home = home.model_copy(update={"pinned_certificate": trusted.pem})
        progress(tr("Testing the address and the key"))
        await self._test(home, key)
        if known := await self._home_of(homes, home, key):
            home = known.model_copy(update={"pinned_certificate": home.pinned_certificate})
        await self._credentials.keep(home.id, key)
        await asyncio.to_thread(self.homes.keep, home)
        return await self._open_workspace(home, key, None)

    async def test_destination(self, address: str, key: str, *, trusted: PresentedCertificate | None) -> Home:
        """Test a service to which a calendar is to move; return how it's reached. Stores nothing.

        It must take calendars, and the key's account must be empty, or have left from there. Raises
        UntrustedCertificateError if the user has to decide, otherwise Problem.
        """
        await self.network.load()
        base_url = _base_url(address)
        if known := await asyncio.to_thread(self._homes_at, base_url):
            text = tr(
                "{name} is already on that service. Remove it from the list of calendars first; the service "
                "keeps its data.",
                name=known[0].name,
            )
            raise Problem(text, kind="address")
        home = Home(kind=HomeKind.REMOTE, name=urlsplit(base_url).netloc, base_url=base_url)
        if trusted is not None:
            home = home.model_copy(update={"pinned_certificate": trusted.pem})
        return await self._test(home, key, self._ask_for_room)

    async def _ask_for_room(self, home: Home, key: str) -> None:
        client = await self._client(home, key)
        try:
            departure = await client.moving.departure()
            if departure.state is not DepartureState.HERE:
                return
            if (await client.list_connections(ConnectionListQuery(limit=1, include_unavailable=True))).data:
                text = tr("The account of this key is already in use. Ask for a key of an empty account.")
                raise Problem(text, kind="key_refused")
        except NotFound as error:
            text = tr("This service can't take calendars yet. Ask its administrator to update it.")
            raise Problem(text, kind="address") from error
        finally:
            await client.close()

    def is_moving(self, home: Home) -> bool:
        """Whether a move of a home isn't complete. Blocking."""
        return pending_move(self.homes, home) is not None

    def move(self, home: Home) -> Move:
        """Return what moves a closed home to a server, or back."""
        return Move(self.homes, self._credentials, self.network, home)

    async def replace_key(self, home: Home, key: str) -> str:
        """Test another key of a service and replace the old one; return where it's stored, in words.

        The service must respond. Raises Problem, of the kind ``key_refused`` if it doesn't know the key, or
        if the key belongs to another account: its calendar would replace this one.
        """
        await self._test(home, key)
        if await self._owner(home, home, key) is Owner.OTHER:
            text = tr("This key belongs to another account of the service. Add that as another calendar.")
            raise Problem(text, kind="key_refused")
        return await self._credentials.keep(home.id, key)

    async def forget(self, home: Home) -> Removed:
        """Remove a closed home, and the key of a service elsewhere.

        The key of a service on this computer stays, so that its files can be opened again. Raises Problem,
        also while the home is being moved: neither service would have it.
        """
        if await asyncio.to_thread(self.is_moving, home):
            raise Problem(tr("This calendar is being moved already. Continue or cancel that first."))
        aside = await asyncio.to_thread(self.homes.remove, home)
        is_key_gone = home.is_embedded or await self._credentials.forget(home.id)
        return Removed(home, aside, is_key_left=not is_key_gone)

    def _homes_at(self, base_url: str) -> list[Home]:
        """Return the homes at a service elsewhere: one for each account. Blocking."""
        return [home for home in self.homes.all() if not home.is_embedded and home.base_url == base_url]

    async def _home_of(self, homes: list[Home], tested: Home, key: str) -> Home | None:
        """Return the home of a key's account; ``tested`` is how the service was just reached."""
        if same := await self._home_with(homes, key):
            return same
        owners = [(home, await self._owner(home, tested, key)) for home in homes]
        same = next((home for home, owner in owners if owner is Owner.SAME), None)
        if same is None and len(homes) == 1 and owners[0][1] is Owner.UNKNOWN:
            return None if await self._credentials.find(homes[0].id) else homes[0]  # its key was lost
        return same

    async def _home_with(self, homes: list[Home], key: str) -> Home | None:
        for home in homes:
            if await self._credentials.find(home.id) == key:
                return home
        return None

    async def _owner(self, home: Home, tested: Home, key: str) -> Owner:
        client = await self._client(tested, key)
        try:
            return await owner_of(client, self.homes.folder(home) / "workspace.db")
        except ClientError as error:
            raise _first_problem(tested, error) from error
        finally:
            await client.close()

    async def _test(
        self, home: Home, key: str, ask: Callable[[Home, str], Awaitable[None]] | None = None
    ) -> Home:
        try:
            await (ask or self._ask)(home, key)
        except CertificateRejected as error:
            certificate = await presented_certificate(home.base_url, self.network.way)
            if certificate.pem == home.pinned_certificate:
                raise problem_of(error) from error  # the right certificate, but with another name, or expired
            changed = home.pinned_certificate is not None
            raise UntrustedCertificateError(certificate, changed=changed) from error
        except ClientError as error:
            raise _first_problem(home, error) from error
        return home

    async def _ask(self, home: Home, key: str) -> None:
        """Request the usage, which every key may read, or else the accounts."""
        client = await self._client(home, key)
        try:
            await client.usage()
        except (ServiceAnswered, AnswerNotUnderstood) as error:
            if isinstance(error, Unauthorized | RateLimited):
                raise
            await client.list_connections(ConnectionListQuery(limit=1))
        finally:
            await client.close()

    async def _client(self, home: Home, key: str) -> ServiceClient:
        context = await asyncio.to_thread(ssl_context, home)
        try:
            return ServiceClient(home.base_url, key, ssl_context=context, way=self.network.way)
        except ValueError as error:  # the URL was checked before, so it's the key
            text = tr("The key contains invalid characters. Copy it again, without spaces.")
            raise Problem(text, kind="key_refused") from error

    async def _open_workspace(
        self, home: Home, key: str, embedded: EmbeddedService | None, first: FirstRows | None = None
    ) -> Visit:
        client = await self._client(home, key)
        folder = self.homes.folder(home)
        try:
            workspace = await Workspace.open(
                client,
                folder / "workspace.db",
                name=home.name,
                practice=home.practice,
                runs_here=home.is_embedded,
                first=first,
            )
        except BaseException:
            await client.close()
            if embedded is not None:
                await embedded.stop()
            raise
        return Visit(
            home, workspace, embedded, self.network.follow(partial(_go_another_way, workspace, embedded))
        )


async def _start(
    embedded: EmbeddedService, home: Home, progress: Progress, release: Callable[[], None]
) -> bool:
    """Start the service; whether its address and its certificate authority are those of `home`."""

    def authority(of: Home) -> bytes:
        return of.ca_file.read_bytes() if of.ca_file is not None else b""

    try:
        with as_problem():
            before = await asyncio.to_thread(authority, home)
            started = await embedded.start(progress)
            after = await asyncio.to_thread(authority, started)
    finally:
        release()
    return started.base_url == home.base_url and after == before


def _go_another_way(workspace: Workspace, embedded: EmbeddedService | None) -> None:
    workspace.go_another_way()
    if embedded is not None:
        embedded.tell_proxy()


def _new_home(base_url: str, others: list[Home]) -> Home:
    """Return a home for another account of the service, trusting the same certificate."""
    host = urlsplit(base_url).netloc
    return Home(
        kind=HomeKind.REMOTE,
        name=f"{host} ({len(others) + 1})" if others else host,
        base_url=base_url,
        pinned_certificate=others[-1].pinned_certificate if others else None,
    )


def _first_problem(home: Home, error: ClientError) -> Problem:
    """The problem of a first connection, when nothing is planned yet that could wait or be lost."""
    problem = problem_of(error)
    host = urlsplit(home.base_url).netloc
    stranger = tr("{host} isn't a Kalends service. Check the address.", host=host)
    words = {
        "key_refused": tr("The service doesn't recognize this key. Copy it again."),
        "unreachable": tr("No response from {host}. Check the address and your network.", host=host),
        "timeout": tr("{host} didn't respond in time. Try again in a moment.", host=host),
        "not_understood": stranger,
        "not_found": stranger,
        "not_from_service": stranger,
        "rate_limited": tr("{host} is rate limiting requests. Try again in a minute.", host=host),
        "server_failed": tr("Something went wrong at {host}. Try again later.", host=host),
    }
    return Problem(words.get(problem.kind, problem.text), details=problem.details, kind=problem.kind)


def _base_url(address: str) -> str:
    """Parse a URL typed by the user. Raises Problem if it can't be a service's."""
    text = address.strip().rstrip("/").removesuffix("/api/v1").rstrip("/")
    wrong = Problem(
        tr("That isn't a service address. It should look like https://plan.example.com."), kind="address"
    )
    try:
        parts = urlsplit(text if "://" in text else f"https://{text}")
        has_port = parts.port != 0
    except ValueError as error:
        raise wrong from error
    if parts.scheme != "https":
        raise Problem(
            tr("The address must start with https:// so your key is sent encrypted."), kind="address"
        )
    if not (parts.hostname and has_port) or parts.username or parts.query or parts.fragment:
        raise wrong
    return parts.geturl()
