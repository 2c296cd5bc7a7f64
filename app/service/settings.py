"""Settings of an installation, and options of one run of the service."""

import tomllib
from dataclasses import dataclass, field
from datetime import timedelta
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator

from app.contract.base import HttpUrl, Known
from app.contract.enums import ConnectionPlatform
from app.network import Way
from app.service.gate import ListeningSettings
from app.service.limits import LimitSettings
from app.service.media.settings import HttpsOrigin, MediaSettings
from app.service.problems import CommandProblem
from app.service.proxy import ProxyTable
from app.service.publishing.settings import PublishingSettings

WEBHOOK_BACKOFF_DEFAULT: Final = (10.0, 60.0, 300.0)
STOP_GRACE: Final = timedelta(seconds=5)
STOP_GRACE_WITH_PARENT: Final = timedelta(seconds=1)

CALLBACK_PORT_DEFAULT: Final = 17217
"""Where browsers come back to; platforms want the address registered, so it stays the same."""


@dataclass(frozen=True)
class RunOptions:
    """Options of every process that works on an installation.

    Attributes:
        practice_url: Where the stand-in platforms are; None means the real ones.
        allow_private_network: Webhooks and imports may reach private addresses (tests, closed networks).
        home_network: Webhooks may reach this computer and its home network, as the settings may say, too.
        extra_ca: A PEM file of authorities that webhooks and imports trust beside the usual ones.
        webhook_backoff: Seconds before each retry of a delivery, before jitter.
        rate_limit: Whether calls are limited by key and action.
        stop_grace: How long an end waits for what is under way.
        way: How everything that is called is reached: straight, or through a proxy.
        alone: No other process works on the installation: what is claimed at the start was by a dead one.
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


def _check_network(value: str) -> str:
    """Raises ValueError, which pydantic reports at the setting."""
    return str(ip_network(value)) if "/" in value else str(ip_address(value))


Network = Annotated[str, AfterValidator(_check_network)]
Port = Annotated[int, Field(ge=0, le=65_535)]


class PlatformApp(BaseModel):
    """The app that was registered with a platform; a public client has no secret.

    Attributes:
        more_scopes: What is asked for beside the usual scopes, where the platform has admitted the app: for
            LinkedIn's organizations ``w_organization_social``, ``r_organization_social`` and
            ``rw_organization_admin``, for the numbers of its members' posts ``r_member_postAnalytics``.
        redirect_uri: What is registered there instead of our own callback; the person then copies the final
            address out of the browser.
        login: For Instagram alone: ``instagram`` for an app with Instagram Login, which knows accounts
            without Pages and no others; ``facebook``, the usual one, for accounts that belong to Pages.
    """

    model_config = ConfigDict(extra="forbid")

    client_id: Annotated[str, Field(min_length=1)]
    client_secret: SecretStr | None = None
    more_scopes: tuple[Annotated[str, Field(pattern=r"^[\x21-\x7e]+$")], ...] = ()
    redirect_uri: HttpUrl | None = None
    login: Literal["facebook", "instagram"] | None = None


class ServerSettings(BaseModel):
    """What a server install has in place of a data folder.

    Attributes:
        database_url: As ``postgresql://kalends@db.example/kalends?sslmode=verify-full``. What it leaves out,
            above all the password, comes from where libpq looks: ``passfile=`` in the address, ``.pgpass``, a
            service file.
        folder: Where keys, certificates and, without a bucket, files are; the same for all processes, and all
            machines have the same ``secrets`` in it. From the settings file's folder; None: that one.
    """

    model_config = ConfigDict(extra="forbid")

    database_url: SecretStr | None = None
    folder: Path | None = None


class WebhookSettings(BaseModel):
    """Where webhooks may go.

    Attributes:
        home_network: Also to this computer and to private networks, such as 192.168.0.0/16. Whoever has a key
            can then have the service call what is there. Link-local and metadata addresses stay refused.
    """

    model_config = ConfigDict(extra="forbid")

    home_network: bool = False


class Settings(BaseModel):
    """Every setting, with what holds when the file does not say otherwise.

    Attributes:
        public_origin: Where browsers elsewhere reach the service's HTTPS listener, such as
            ``https://plan.example``; browsers that come back from a platform then come there.
        trusted_proxies: Addresses and networks whose ``X-Forwarded-For`` names the client; the right-most
            address that isn't one of them counts.
        proxy: How what the service calls is reached; without it straight, whatever the environment says.
    """

    model_config = ConfigDict(extra="forbid")

    callback_port: Port | None = None
    public_origin: HttpsOrigin | None = None
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    platforms: dict[Known[ConnectionPlatform], PlatformApp] = {}
    publishing: PublishingSettings = PublishingSettings()
    limits: LimitSettings = LimitSettings()
    listening: ListeningSettings = ListeningSettings()
    trusted_proxies: tuple[Network, ...] = ("127.0.0.1", "::1")
    media: MediaSettings = MediaSettings()
    webhooks: WebhookSettings = WebhookSettings()
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
                raise ValueError(f"{platform.value} has one login only; leave login out")
        return self


def read_settings(path: Path) -> Settings:
    """The file's settings; without a file, the defaults. Raises CommandProblem naming what is wrong."""
    try:
        return Settings.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return Settings()
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise CommandProblem(f"The settings file {path} cannot be read: {error}.") from error
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise CommandProblem(f"The settings file {path} is wrong at {place}: {first['msg']}.") from None
