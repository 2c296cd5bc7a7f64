"""Files of posts, and reservations for uploads in progress."""

from sqlalchemy import BigInteger, Column, Double, ForeignKey, Index, Integer, String, Table, Text, Uuid

from app.database import JsonText, UtcMillis
from app.database.dialects import partial_index
from app.service.store.tables.metadata import metadata

media = Table(
    # Without expires_at, the file is stored. With expires_at but no sha256, the row is a reservation. With
    # both, the file is lost: it doesn't count towards the quota, and counts as stored again when it
    # reappears.
    "media",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("account_id", ForeignKey("accounts.id"), nullable=False),
    Column("storage_path", Text, nullable=False, unique=True),
    Column("filename", Text),  # shown to users; null: the last part of the path
    Column("kind", String(20), nullable=False),  # image, video
    Column("content_type", String(100), nullable=False),
    Column("size_bytes", BigInteger, nullable=False),  # for a reservation, the maximum size
    Column("sha256", String(64)),  # hexadecimal; null until the upload is complete
    Column("object_key", Text),  # object key in a bucket; null: the file is in the media folder
    Column("width", Integer),  # in pixels as displayed; null if unknown
    Column("height", Integer),
    Column("duration_ms", BigInteger),
    Column("video_codec", String(40)),  # named as by FFmpeg
    Column("audio_codec", String(40)),  # empty: no audio
    Column("frame_rate", Double),  # frames a second
    Column("alt_text", Text),
    Column("cover_ms", BigInteger),  # position of a video's cover frame; null: the first one
    Column("tiktok", JsonText),  # TikTok choices by connection id; null: none
    Column("created_at", UtcMillis, nullable=False),
    Column("expires_at", UtcMillis),
    Column("probe_after", UtcMillis),  # null: probed; otherwise no process probes it before this time
    Column("missing_since", UtcMillis),  # when a sweep first missed the file; null: it isn't missing
    Index("ix_media_page", "account_id", "created_at", "id"),
    Index("ix_media_room", "account_id", "expires_at", "size_bytes"),
    partial_index("ix_media_unprobed", "probe_after", where="probe_after IS NOT NULL"),
)

swept_media = Table(
    # The sweep's information about files besides their rows.
    "swept_media",
    metadata,
    Column("path", Text, primary_key=True),  # a storage path, or the object key in a bucket
    Column("state", String(10), nullable=False),  # removed (by a user), expired (in quarantine)
    Column("since", UtcMillis),  # null: not seen by a sweep yet
)
