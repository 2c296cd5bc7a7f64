"""The choice of a proxy: where it's stored, and who is notified of changes."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Final

import structlog
from pydantic import ValidationError

from app.disk import write_whole
from app.language import tr
from app.network import Proxy, ProxySettings, ProxyUse, Way
from app.workspace import system_words
from app.workspace.homes.credentials import SecretStore
from app.workspace.homes.last import PROXY_FILE
from app.workspace.messages import Problem
from app.workspace.network.form import FormError, FormField, ProxyForm

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
            reason=system_words.why(error),
        ),
        details=str(error),
    )
