"""Files that posts refer to, and the room that is reserved for those on their way."""

from sqlalchemy import BigInteger, Column, Double, ForeignKey, Index, Integer, String, Table, Text, Uuid

from app.database import JsonText, UtcMillis
from app.database.indexes import partial_index
from app.service.store.tables.metadata import metadata

media = Table(
    # Without expires_at its file is stored. With it, a row is a reservation as long as it has no sha256;
    # with both, the file was stored and is lost: it doesn't count, and is stored again when it comes back.
    "media",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("account_id", ForeignKey("accounts.id"), nullable=False),
    Column("storage_path", Text, nullable=False, unique=True),
    Column("filename", Text),  # what people see; null: the path's last part
    Column("kind", String(20), nullable=False),  # image, video
    Column("content_type", String(100), nullable=False),
    Column("size_bytes", BigInteger, nullable=False),  # of a reservation: the most that it may become
    Column("sha256", String(64)),  # hexadecimal; null until the bytes are there
    Column("object_key", Text),  # their name in a bucket; null: they are in the media folder
    Column("width", Integer),  # pixels as shown, null where nobody knows
    Column("height", Integer),
    Column("duration_ms", BigInteger),
    Column("video_codec", String(40)),  # as decoders call it
    Column("audio_codec", String(40)),  # empty: the video is silent
    Column("frame_rate", Double),  # frames a second
    Column("alt_text", Text),
    Column("cover_ms", BigInteger),  # the moment of a video that stands for it; null: the first one
    Column("tiktok", JsonText),  # choices for TikTok, by the connection's id; null: none
    Column("created_at", UtcMillis, nullable=False),
    Column("expires_at", UtcMillis),
    Column("probe_after", UtcMillis),  # null: looked into; else not before this time by anybody else
    Column("missing_since", UtcMillis),  # when a sweep first missed the file; null: it was there
    Index("ix_media_page", "account_id", "created_at", "id"),
    Index("ix_media_room", "account_id", "expires_at", "size_bytes"),
    partial_index("ix_media_unprobed", "probe_after", where="probe_after IS NOT NULL"),
)

swept_media = Table(
    # What the sweep has to know about files beyond their rows.
    "swept_media",
    metadata,
    Column("path", Text, primary_key=True),  # a storage path, or the name of an object in a bucket
    Column("state", String(10), nullable=False),  # removed (by a person), expired (in quarantine)
    Column("since", UtcMillis),  # null: no sweep has seen it yet
)
