"""Settings of an installation, options of one run of the service, and the proxy it uses."""

import tomllib
from dataclasses import dataclass, field
from datetime import timedelta
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Annotated, Final, Literal, Self

import structlog
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator

from app.contract.base import HttpUrl, Known
from app.contract.enums import ConnectionPlatform
from app.network import ProxySettings, ProxyUse, Way
from app.service.gate import ListeningSettings
from app.service.limits import LimitSettings
from app.service.media.settings import HttpsOrigin, MediaSettings
from app.service.monitoring.meter import Meter
from app.service.problems import CommandProblem
from app.service.publishing.settings import PublishingSettings
from app.service.retention import RetentionSettings

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


WEBHOOK_BACKOFF_DEFAULT: Final = (10.0, 60.0, 300.0)
STOP_GRACE: Final = timedelta(seconds=5)
STOP_GRACE_WITH_PARENT: Final = timedelta(seconds=1)

CALLBACK_PORT_DEFAULT: Final = 17217
"""Port for returning browsers. It is fixed, because platforms require a registered address."""


@dataclass(frozen=True)
class RunOptions:
    """Options of every process of an installation.

    Attributes:
        practice_url: URL of the practice platforms; None for the real ones.
        allow_private_network: Whether webhooks and imports may reach private addresses (tests, closed
            networks).
        home_network: Whether webhooks may reach this computer and its home network; settings can allow it
            too.
        extra_ca: A PEM file of additional certificate authorities for webhooks and imports.
        webhook_backoff: Seconds before each retry of a delivery, before jitter.
        rate_limit: Whether calls are limited by key and action.
        stop_grace: How long stopping waits for work in progress.
        way: How to connect to other hosts: directly or through a proxy.
        alone: Whether no other process uses the installation, so that claims found at start are abandoned.
        meter: Counts the work of this process.
    """

    practice_url: str | None = None
    allow_private_network: bool = False
    home_network: bool = False
    extra_ca: Path | None = None
    webhook_backoff: tuple[float, ...] = WEBHOOK_BACKOFF_DEFAULT
    rate_limit: bool = True
    stop_grace: timedelta = STOP_GRACE
    alone: bool = True
    way: Way = field(default_factory=Way)
    meter: Meter = field(default_factory=Meter)


def _check_network(value: str) -> str:
    """Normalize an address or a network. Raises ValueError, which pydantic reports at the setting."""
    return str(ip_network(value)) if "/" in value else str(ip_address(value))


Network = Annotated[str, AfterValidator(_check_network)]
Port = Annotated[int, Field(ge=0, le=65_535)]


class PlatformApp(BaseModel):
    """The app registered with a platform. Public clients have no secret.

    Attributes:
        more_scopes: Additional scopes to request, if the platform approved the app for them: for LinkedIn
            organizations ``w_organization_social``, ``r_organization_social`` and ``rw_organization_admin``,
            for metrics of LinkedIn members' posts ``r_member_postAnalytics``.
        without_scopes: For TikTok only: scopes that it refused to the app. Without ``video.publish``, posts
            go to the user's inbox.
        redirect_uri: The redirect URI registered there instead of our callback; the user then copies the
            final address from the browser.
        login: For Instagram only: ``instagram`` for an app with Instagram Login, which only supports accounts
            without Pages; ``facebook``, the default, for accounts that belong to Pages.
    """

    model_config = ConfigDict(extra="forbid")

    client_id: Annotated[str, Field(min_length=1)]
    client_secret: SecretStr | None = None
    more_scopes: tuple[Annotated[str, Field(pattern=r"^[\x21-\x7e]+$")], ...] = ()
    without_scopes: frozenset[Literal["video.publish", "video.upload", "video.list"]] = frozenset()
    redirect_uri: HttpUrl | None = None
    login: Literal["facebook", "instagram"] | None = None


class ServerSettings(BaseModel):
    """Settings of a server install instead of a data folder.

    Attributes:
        database_url: Such as ``postgresql://kalends@db.example/kalends?sslmode=verify-full``. Omitted parts,
            above all the password, come from libpq's sources: ``passfile=`` in the URL, ``.pgpass``, a
            service file.
        folder: Folder for keys, certificates and, without a bucket, files; the same for all processes. Its
            ``secrets`` must be identical on all machines. Relative to the settings file; None for that file's
            folder.
        migrate_at_start: Whether programs migrate the database when they start. Otherwise, they require the
            command ``migrate``.
    """

    model_config = ConfigDict(extra="forbid")

    database_url: SecretStr | None = None
    folder: Path | None = None
    migrate_at_start: bool = True


class WebhookSettings(BaseModel):
    """Where webhooks may be sent.

    Attributes:
        home_network: Whether also to this computer and to private networks, such as 192.168.0.0/16. Anyone
            with a key can then make the service send requests there. Link-local and metadata addresses are
            always refused.
    """

    model_config = ConfigDict(extra="forbid")

    home_network: bool = False


class MovingSettings(BaseModel):
    """Moving accounts away with the app.

    Attributes:
        tokens_may_leave: Whether the access to connected accounts moves too, encrypted. Anyone with a key of
            an account can then get it. Otherwise, they have to be connected again after the move.
    """

    model_config = ConfigDict(extra="forbid")

    tokens_may_leave: bool = False


class Settings(BaseModel):
    """All settings, with their defaults.

    Attributes:
        public_origin: Public URL of the service's HTTPS listener, such as ``https://plan.example``; browsers
            returning from a platform are sent there.
        access_log: Whether to log every request: method, route, status, duration, account and client address.
        trusted_proxies: Addresses and networks whose ``X-Forwarded-For`` is trusted; the right-most address
            that isn't one of them is the client's.
        proxy: How to connect to other hosts. Without it directly, ignoring environment variables.
    """

    model_config = ConfigDict(extra="forbid")

    callback_port: Port | None = None
    public_origin: HttpsOrigin | None = None
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    access_log: bool = False
    platforms: dict[Known[ConnectionPlatform], PlatformApp] = {}
    publishing: PublishingSettings = PublishingSettings()
    limits: LimitSettings = LimitSettings()
    listening: ListeningSettings = ListeningSettings()
    trusted_proxies: tuple[Network, ...] = ("127.0.0.1", "::1")
    media: MediaSettings = MediaSettings()
    webhooks: WebhookSettings = WebhookSettings()
    moving: MovingSettings = MovingSettings()
    retention: RetentionSettings = RetentionSettings()
    proxy: ProxyTable = ProxyTable()
    server: ServerSettings | None = None

    @property
    def instagram_login(self) -> bool:
        """Whether the app for Instagram uses Instagram Login, without Pages."""
        app = self.platforms.get(ConnectionPlatform.INSTAGRAM)
        return app is not None and app.login == "instagram"

    @model_validator(mode="after")
    def _check_logins(self) -> Self:
        for platform, app in self.platforms.items():
            if app.login is not None and platform is not ConnectionPlatform.INSTAGRAM:
                raise ValueError(f"{platform.value} has only one login; leave login out")
        return self


def read_settings(path: Path) -> Settings:
    """Read the settings; defaults without a file. Raises CommandProblem naming the invalid setting."""
    try:
        return Settings.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return Settings()
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CommandProblem(f"The settings file {path} can't be read: {error}.") from error
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise CommandProblem(f"The settings file {path} is invalid at {place}: {first['msg']}.") from None
