"""Assembling the parts of media."""

from dataclasses import dataclass

from app.database import Database
from app.service.clock import Clock
from app.service.media.files import LocalMediaStore
from app.service.media.imports import Imports
from app.service.media.intake import Keeper, Uploads
from app.service.media.prober import Prober
from app.service.media.settings import FileAddresses, LinkSigner, MediaSettings, S3Settings
from app.service.media.stores import MediaStore
from app.service.media.sweep import Sweeper
from app.service.monitoring.meter import Meter
from app.service.outbound import OutboundClient
from app.service.problems import CommandProblem
from app.service.store.folder import DataFolder


@dataclass(frozen=True)
class MediaParts:
    """What the routes use, and the workers behind them."""

    store: MediaStore
    addresses: FileAddresses
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
    meter: Meter | None = None,
) -> MediaParts:
    """Assemble everything for media, stored in the data folder or in a bucket."""
    store = open_store(folder, settings.s3)
    signer = LinkSigner(link_key)
    prober = Prober(database, store, clock)
    keeper = Keeper(database, store, clock, prober.notify, meter)
    return MediaParts(
        store=store,
        addresses=FileAddresses(store, signer, settings, clock),
        signer=signer,
        uploads=Uploads(database, keeper, signer, clock),
        imports=Imports(database, keeper, outbound, clock),
        prober=prober,
        sweeper=Sweeper(database, store, clock, folder.restored_at),
    )


def open_store(folder: DataFolder, bucket: S3Settings | None) -> MediaStore:
    """Open the store of files. Blocking. Raises CommandProblem for a bucket that can't be used."""
    if bucket is None:
        return LocalMediaStore(folder.media)
    # Desktop installs have no library for buckets.
    try:
        from app.service.media.buckets import open_bucket
        from app.service.media.s3 import S3MediaStore
    except ModuleNotFoundError as error:
        raise CommandProblem(
            "The settings name a bucket, but this install has no libraries for one. Install kalends[server]."
        ) from error
    return S3MediaStore(open_bucket(bucket))
