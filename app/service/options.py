"""How one run of the service behaves: what the command line says, beyond the settings that stay."""

from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Final

from app.network import Way

WEBHOOK_BACKOFF_DEFAULT: Final = (10.0, 60.0, 300.0)
STOP_GRACE: Final = timedelta(seconds=5)
STOP_GRACE_WITH_PARENT: Final = timedelta(seconds=1)


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
