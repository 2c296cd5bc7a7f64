"""The choice of a proxy: its settings as typed, where they're stored, who is notified, and trying it."""

import asyncio
import json
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final, Literal
from urllib.parse import urlsplit

import structlog
from pydantic import ValidationError

from app.client import CertificateRejected, ClientError, ProxyFailed, RetryPolicy, ServiceClient
from app.disk import write_whole
from app.language import tr
from app.network import (
    AddressFault,
    BadAddressError,
    BadExceptionError,
    Exceptions,
    Proxy,
    ProxyError,
    ProxySettings,
    ProxyUse,
    Way,
)
from app.network.proxy import entries
from app.workspace import foreign_texts
from app.workspace.homes.certificates import ssl_context
from app.workspace.homes.credentials import SecretStore
from app.workspace.homes.last import PROXY_FILE
from app.workspace.homes.registry import Home
from app.workspace.messages import Problem
from app.workspace.problems import FAULTS, words_of

# The window gets ProxySettings and ProxyUse from here, because it doesn't import `app.network`.
__all__ = [
    "FormError",
    "FormField",
    "Network",
    "ProxyForm",
    "ProxySettings",
    "ProxyUse",
    "Trial",
    "try_out",
]

_ADDRESS: Final = {
    AddressFault.FORM: tr("That isn't a proxy address. It should look like http://proxy.example.com:3128."),
    AddressFault.SCHEME: tr("The address must start with http://, https:// or socks5://."),
    AddressFault.PORT: tr(
        "The port is missing. Add it after the host name, for example http://proxy.example.com:3128."
    ),
    AddressFault.USER: tr("Enter the username and password in their own fields, not in the address."),
}
_LONGEST: Final = 255
_LONGEST_ADDRESS: Final = 500
_LONGEST_LIST: Final = 4_000
"""Maximum length of the exceptions, in characters: the service gets them in one line of 16 KiB."""


class FormField(StrEnum):
    """A field that has to be corrected."""

    ADDRESS = "address"
    USER = "user"
    PASSWORD = "password"  # noqa: S105  a field's name
    EXCEPTIONS = "exceptions"


class FormError(Problem):
    """The input can't be used."""

    def __init__(self, where: FormField, text: str) -> None:
        super().__init__(text, kind="form")
        self.where = where


@dataclass(frozen=True, slots=True)
class ProxyForm:
    """The input. A ``password`` of None means the stored one."""

    use: ProxyUse
    address: str = ""
    user: str = ""
    password: str | None = field(default=None, repr=False)
    exceptions: str = ""
    names_at_proxy: bool = False

    def settings(self) -> ProxySettings:
        """Return the settings to store. Raises FormError for the first invalid field.

        The user's own proxy is stored even while another choice is selected.
        """
        address, user = self.address.strip(), self.user.strip()
        own = self.use is ProxyUse.OWN
        if own or address:
            _check_address(address)
        if ":" in user or not user.isprintable() or len(user.encode()) > _LONGEST:
            raise FormError(
                FormField.USER, tr("A username can't contain a colon or be longer than 255 characters.")
            )
        self._check_password()
        if len(self.exceptions) > _LONGEST_LIST:
            raise FormError(
                FormField.EXCEPTIONS,
                tr(
                    "The list can have up to {n} characters. A domain includes its subdomains.",
                    n=_LONGEST_LIST,
                ),
            )
        listed = entries(self.exceptions)
        try:
            Exceptions.of(listed)
        except BadExceptionError as error:
            raise FormError(
                FormField.EXCEPTIONS,
                tr(
                    "{entry} isn't a host name or address. Use something like intranet.example.com "
                    "or 10.0.0.0/8.",
                    entry=error.entry,
                ),
            ) from None
        return ProxySettings(
            use=self.use, address=address, user=user, exceptions=listed, names_at_proxy=self.names_at_proxy
        )

    def _check_password(self) -> None:
        password = self.password or ""
        if not password.isprintable() or len(password.encode()) > _LONGEST:
            raise FormError(
                FormField.PASSWORD,
                tr("A password can't contain line breaks or be longer than 255 characters."),
            )


def _check_address(address: str) -> None:
    if len(address) > _LONGEST_ADDRESS:
        raise FormError(FormField.ADDRESS, _ADDRESS[AddressFault.FORM])
    try:
        Proxy.typed(address)
    except BadAddressError as error:
        raise FormError(FormField.ADDRESS, _ADDRESS[error.fault]) from None


_log = structlog.get_logger(__name__)

_NAME: Final = "proxy"
"""Name of the password in the secret store."""
_UNCHOSEN: Final = ProxySettings(use=ProxyUse.SYSTEM)


class Network:
    """One per data folder. All connections use ``way``.

    The choice is in ``proxy.json``; the password is stored like API keys, in the keyring or in a file that
    only its owner can read. Neither is in a backup, because they belong to this computer.
    """

    def __init__(self, data: Path, secrets: SecretStore) -> None:
        self.way = Way(_UNCHOSEN)
        self._path = data / PROXY_FILE
        self._secrets = secrets
        self._password = ""
        self._loading: asyncio.Task[None] | None = None
        self._followers: list[Callable[[], None]] = []

    @property
    def settings(self) -> ProxySettings:
        """The current settings."""
        return self.way.settings

    @property
    def has_password(self) -> bool:
        """Whether a password is stored."""
        return bool(self._password)

    async def load(self) -> None:
        """Load the choice, once; nothing connects before that."""
        self._loading = self._loading or asyncio.ensure_future(self._load())
        await asyncio.shield(self._loading)

    def password_for(self, form: ProxyForm) -> str:
        """Return the password for a form's proxy, never that of another proxy. Raises FormError."""
        settings = form.settings()
        if form.password is not None or not settings.user:
            return (form.password or "") if settings.user else ""
        if self._password and not _is_same(settings, self.settings):
            raise FormError(
                FormField.PASSWORD,
                tr("Enter the password again: the saved one belongs to another proxy or username."),
            )
        return self._password

    def way_for(self, form: ProxyForm) -> Way:
        """Return the way that a form describes, without using it. Raises FormError."""
        return Way(form.settings(), self.password_for(form))

    async def choose(self, form: ProxyForm) -> None:
        """Store a form's settings and use them from now on. Raises FormError or Problem."""
        settings, password = form.settings(), self.password_for(form)
        if password != self._password:
            await self._keep_password(password)
        try:
            await asyncio.to_thread(self._write, settings)
        except OSError as error:
            raise _not_kept(self._path.parent, error) from error
        self.way.use(settings, password)
        for follower in tuple(self._followers):
            follower()

    def follow(self, follower: Callable[[], None]) -> Callable[[], None]:
        """Subscribe to changes of the way; call the result to unsubscribe."""
        self._followers.append(follower)
        return lambda: self._followers.remove(follower)

    def line(self) -> str:
        """The line for the stdin of the service on this computer."""
        told = {"proxy": self.settings.model_dump(mode="json"), "password": self._password}
        return json.dumps(told) + "\n"

    async def _load(self) -> None:
        settings = await asyncio.to_thread(self._read)
        self._password = (await self._secrets.find(_NAME) or "") if settings.user else ""
        self.way.use(settings, self._password)

    async def _keep_password(self, password: str) -> None:
        try:
            if password:
                await self._secrets.keep(_NAME, password)
            else:
                await self._secrets.forget(_NAME)
        except OSError as error:
            raise _not_kept(self._secrets.folder, error) from error
        self._password = password

    def _read(self) -> ProxySettings:
        try:
            return ProxySettings.model_validate_json(self._path.read_bytes())
        except FileNotFoundError:
            return _UNCHOSEN
        except (OSError, ValidationError) as error:
            _log.warning(
                "the choice of a proxy cannot be read", file=str(self._path), why=type(error).__name__
            )
            return _UNCHOSEN

    def _write(self, settings: ProxySettings) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self._path, settings.model_dump_json(indent=2).encode())


def _is_same(one: ProxySettings, other: ProxySettings) -> bool:
    """Whether both have the same proxy and user name."""
    if one.user != other.user or not other.address:
        return False
    first, second = Proxy.typed(one.address), Proxy.typed(other.address)
    return (first.scheme, first.host, first.port) == (second.scheme, second.host, second.port)


def _not_kept(folder: Path, error: OSError) -> Problem:
    return Problem(
        tr(
            "Couldn't save the proxy in {folder}: {reason}. Free up space, then try again.",
            folder=folder,
            reason=foreign_texts.why(error),
        ),
        details=str(error),
    )


_ABROAD: Final = "https://graph.facebook.com"
"""A platform's host that answers requests without credentials."""
_NO_KEY: Final = "none"
"""The page is requested without a key."""


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of a test."""

    kind: Literal["info", "bad"]
    text: str


async def try_out(way: Way, home: Home | None) -> Trial:
    """Request a page of the home's service, or of a platform if the service is on this computer."""
    elsewhere = home is not None and not home.is_embedded
    base_url = home.base_url if home is not None and elsewhere else _ABROAD
    place = urlsplit(base_url).netloc
    try:
        proxy = await way.proxy_for(urlsplit(base_url).hostname or "", secure=True)
    except ProxyError as error:
        return Trial("bad", FAULTS[error.fault])
    trust = await asyncio.to_thread(ssl_context, home) if home is not None and elsewhere else None
    return await _asked(way, base_url, trust, place, proxy)


async def _asked(
    way: Way, base_url: str, trust: ssl.SSLContext | None, place: str, proxy: Proxy | None
) -> Trial:
    once = RetryPolicy(attempts=1)
    client = ServiceClient(base_url, _NO_KEY, ssl_context=trust, way=way, retries=once)
    try:
        await client.visit(f"{base_url}/")
    except ProxyFailed as error:
        return Trial("bad", words_of(error.fault, error.said))
    except CertificateRejected:
        return Trial(
            "bad",
            tr(
                "{place} presented a certificate this computer doesn't trust. The proxy "
                "may inspect traffic: ask its administrator for the certificate to install.",
                place=place,
            ),
        )
    except ClientError:
        return Trial("bad", _silent(place, proxy))
    finally:
        await client.close()
    return Trial("info", _reached(place, proxy))


def _silent(place: str, proxy: Proxy | None) -> str:
    if proxy is None:
        return tr("{place} didn't answer. Kalends connected directly, without a proxy.", place=place)
    return tr("The proxy works, but {place} didn't respond through it.", place=place)


def _reached(place: str, proxy: Proxy | None) -> str:
    if proxy is None:
        return tr("{place} responded directly, without a proxy.", place=place)
    return tr("{place} responded through the proxy {proxy}.", place=place, proxy=f"{proxy.host}:{proxy.port}")
