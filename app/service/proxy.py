"""How the service connects to other hosts: by its settings, or as the app requests."""

from pathlib import Path
from typing import Final

import structlog
from pydantic import BaseModel, ConfigDict, SecretStr, ValidationError

from app.network import ProxySettings, ProxyUse, Way
from app.service.problems import CommandProblem

_log = structlog.get_logger(__name__)

_LONGEST: Final = 16 * 1024


class ProxyTable(ProxySettings):
    """The table ``[proxy]`` of the settings.

    Attributes:
        password_file: A file with the password and nothing else, relative to the settings file. It's separate
            so that settings can be shown and copied.
    """

    password_file: Path | None = None


class ToldProxy(BaseModel):
    """A line from the app on the service's standard input, sent whenever the user changes the proxy."""

    model_config = ConfigDict(extra="forbid")

    proxy: ProxySettings
    password: SecretStr = SecretStr("")


def way_by(table: ProxyTable, folder: Path) -> Way:
    """Return the route described by settings in ``folder``. Blocking. Raises CommandProblem."""
    way = Way(table, _password(table, folder))
    if table.use is not ProxyUse.NONE:
        _log.info("calls go through a proxy", proxy=table.address or "the system's")
    return way


def follow(way: Way, line: bytes) -> None:
    """Switch to the route in a line from the app; an invalid line changes nothing."""
    try:
        chosen = ToldProxy.model_validate_json(line[:_LONGEST])
    except ValidationError:  # not logged, because its message quotes the line
        _log.warning("a line with proxy settings is invalid")
        return
    way.use(chosen.proxy, chosen.password.get_secret_value())
    _log.info("the proxy settings have changed", use=chosen.proxy.use.value)


def _password(table: ProxyTable, folder: Path) -> str:
    if table.password_file is None:
        return ""
    file = folder / table.password_file
    try:
        return file.read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it isn't UTF-8"
        raise CommandProblem(f"The proxy's password can't be read from {file}: {why}.") from None
