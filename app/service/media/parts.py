"""Putting the parts of media together."""

from dataclasses import dataclass

from app.database import Database
from app.service.clock import Clock
from app.service.media.addresses import PublicAddresses
from app.service.media.files import LocalMediaStore
from app.service.media.imports import Imports
from app.service.media.keeping import Keeper
from app.service.media.prober import Prober
from app.service.media.settings import MediaSettings
from app.service.media.signing import LinkSigner
from app.service.media.stores import MediaStore
from app.service.media.sweep import Sweeper
from app.service.media.uploads import Uploads
from app.service.outbound import OutboundClient
from app.service.store.folder import DataFolder


@dataclass(frozen=True)
class MediaParts:
    """What the routes use, and what works behind them."""

    store: MediaStore
    addresses: PublicAddresses
    signer: LinkSigner
    uploads: Uploads
    imports: Imports
    prober: Prober
    sweeper: Sweeper


def make_media(
    folder: DataFolder,
    database: Database,
    link_key: bytes,
    outbound: OutboundClient,
    clock: Clock,
    settings: MediaSettings,
) -> MediaParts:
    """Everything over the data folder's files, or over a bucket."""
    store = LocalMediaStore(folder.media)
    signer = LinkSigner(link_key)
    prober = Prober(database, store, clock)
    keeper = Keeper(database, store, clock, prober.notify)
    return MediaParts(
        store=store,
        addresses=PublicAddresses(store, signer, settings, clock),
        signer=signer,
        uploads=Uploads(database, keeper, signer, clock),
        imports=Imports(database, keeper, outbound, clock),
        prober=prober,
        sweeper=Sweeper(database, store, clock),
    )
