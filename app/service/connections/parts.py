"""Assembling the parts of connections."""

from collections import ChainMap
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import timedelta

from app.contract.enums import PostingPlatform, PostType
from app.database import Database
from app.platforms.cards import origins
from app.platforms.rules.tables import pulled
from app.service.clock import Clock
from app.service.connections.account_checks import AccountChecks
from app.service.connections.apps import Addresses
from app.service.connections.flow_steps import Endings
from app.service.connections.flows import EXCHANGE_MAX, Choices, Flows
from app.service.connections.limits import Limits
from app.service.connections.packs import Packs
from app.service.connections.places import Places
from app.service.connections.platforms import Boards, Platforms
from app.service.connections.renewals import Renewals
from app.service.connections.set_up import SetUps
from app.service.connections.tokens import Patience, TokenKeeper
from app.service.settings import RunOptions, Settings
from app.service.store.seal import Seal
from app.service.tiktok import Creators


@dataclass(frozen=True)
class ConnectionParts:
    """What the routes use, and the workers behind them."""

    tokens: TokenKeeper
    flows: Flows
    choices: Choices
    boards: Boards
    creators: Creators
    places: Places
    limits: Limits
    set_ups: SetUps
    packs: Packs
    renewals: Renewals
    unreachable: Mapping[PostingPlatform, Collection[PostType]]
    """Post types whose files need a public address that this service doesn't have."""


def make_connections(
    database: Database,
    seal: Seal,
    platforms: Platforms,
    clock: Clock,
    settings: Settings,
    run: RunOptions,
    callback_origin: str,
) -> ConnectionParts:
    """Assemble everything for connections; ``callback_origin`` is the browser callback on this machine."""
    addresses = _addresses(platforms, settings, callback_origin)
    patience = Patience(refused=settings.publishing.refused_for)
    tokens = TokenKeeper(database, seal, platforms, clock, patience, run.meter)
    practice = run.practice_url is not None
    endings = Endings(seal, clock, practice=practice)
    unreachable = {} if settings.media.is_reachable else pulled(instagram_login=settings.instagram_login)
    hosts = origins(run.practice_url, instagram_login=settings.instagram_login)
    set_ups = SetUps(
        *(platforms, addresses, hosts),
        practice=practice,
        unreachable=unreachable,
        way=run.way,
        accounts=AccountChecks(database, platforms, tokens),
    )
    return ConnectionParts(
        tokens=tokens,
        flows=Flows(database, seal, platforms, tokens, clock, addresses, endings, elsewhere=_elsewhere(run)),
        choices=Choices(database, seal, tokens, clock, endings),
        boards=Boards(database, platforms, tokens),
        creators=Creators(database, platforms, tokens),
        places=Places(database, seal, platforms, tokens, clock),
        limits=Limits(database, platforms, tokens, clock),
        set_ups=set_ups,
        packs=Packs(platforms, addresses, set_ups, clock),
        renewals=Renewals(database, tokens, clock, exclusive=run.alone),
        unreachable=unreachable,
    )


def _elsewhere(run: RunOptions) -> timedelta:
    """Return how long another process may take to exchange a code; zero if there is none."""
    return timedelta() if run.alone else EXCHANGE_MAX


def _addresses(platforms: Platforms, settings: Settings, callback_origin: str) -> Addresses:
    elsewhere = {
        platform: app.redirect_uri for platform, app in settings.platforms.items() if app.redirect_uri
    }
    own = platforms.apps.redirects if platforms.apps is not None else {}
    return Addresses(settings.public_origin or callback_origin, ChainMap(elsewhere, own))
