"""Posts and their files, attempts to publish them, what was published, and its metrics."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Date,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Table,
    Text,
    UniqueConstraint,
    Uuid,
    false,
    text,
)

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


_IN_A_BATCH = "batch_id IS NOT NULL"

posts = Table(
    "posts",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("account_id", ForeignKey("accounts.id"), nullable=False),
    Column("connection_id", ForeignKey("connections.id"), nullable=False),
    Column("platform", String(20), nullable=False),
    Column("post_type", String(20), nullable=False),
    Column("status", String(20), nullable=False),
    Column("title", Text),
    Column("description", Text),
    Column("scheduled_at", UtcMillis, nullable=False),  # the only source for when a post is due
    Column("posted_at", UtcMillis),
    Column("media_storage_path", Text, nullable=False, default=""),
    Column("batch_id", Text),
    Column("pinterest_board_id", Text),
    Column("pinterest_board_name", Text),
    Column("pinterest_link", Text),
    Column("tiktok", JsonText),  # the choice of its file when the post was created; null: none
    Column("options", JsonText),  # on a companion network; null: none
    Column("by_hand", Boolean, nullable=False, server_default=false()),  # the user publishes it
    Column("created_via", String(10), nullable=False),
    Column("created_at", UtcMillis, nullable=False),
    # While a worker processes the post or delays its retry, no other claims it before this time.
    Column("claimed_by", Uuid),
    Column("claimed_until", UtcMillis),
    Index("ix_posts_page", "account_id", "created_at", "id"),
    Index("ix_posts_status_page", "account_id", "status", "created_at", "id"),
    Index("ix_posts_batch_page", "account_id", "batch_id", "created_at", "id"),
    # Every combination of the post list's filters, in the list's order.
    Index("ix_posts_platform_page", "account_id", "platform", "created_at", "id"),
    Index("ix_posts_status_platform_page", "account_id", "status", "platform", "created_at", "id"),
    partial_index(
        "ix_posts_batch_status_page",
        "account_id",
        "batch_id",
        "status",
        "created_at",
        "id",
        where=_IN_A_BATCH,
    ),
    partial_index(
        "ix_posts_batch_platform_page",
        "account_id",
        "batch_id",
        "platform",
        "created_at",
        "id",
        where=_IN_A_BATCH,
    ),
    partial_index(
        "ix_posts_batch_status_platform_page",
        "account_id",
        "batch_id",
        "status",
        "platform",
        "created_at",
        "id",
        where=_IN_A_BATCH,
    ),
    Index("ix_posts_calendar", "account_id", "scheduled_at", "id"),
    Index("ix_posts_due", "status", "scheduled_at"),
    partial_index("ix_posts_claimed", "claimed_until", where="claimed_until IS NOT NULL"),
    partial_index("ix_posts_media", "media_storage_path", where="media_storage_path <> ''"),
    partial_index(
        "ix_posts_to_prepare",
        "scheduled_at",
        where="status = 'scheduled' AND media_storage_path <> ''",
    ),
)

removed_posts = Table(
    # Posts deleted permanently during a call, kept until the call's outcome is known.
    "removed_posts",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("account_id", ForeignKey("accounts.id"), nullable=False),
    Column("connection_id", ForeignKey("connections.id"), nullable=False),
    Column("platform", String(20), nullable=False),
    Column("post_type", String(20), nullable=False),
    Column("title", Text),
    Column("description", Text),
    Column("scheduled_at", UtcMillis, nullable=False),
    Column("media_storage_path", Text, nullable=False),
    Column("batch_id", Text),
    Column("pinterest_board_id", Text),
    Column("pinterest_board_name", Text),
    Column("pinterest_link", Text),
    Column("by_hand", Boolean, nullable=False, server_default=false()),
    Column("created_via", String(10), nullable=False),
    Column("claimed_until", UtcMillis),  # no other worker looks on the platform before this time
)

idempotency_keys = Table(
    # Separate from the posts, so that a late retry doesn't recreate a deleted post.
    "idempotency_keys",
    metadata,
    Column("account_id", ForeignKey("accounts.id"), primary_key=True),
    Column("idempotency_key", String(200), primary_key=True),
    Column("request_hash", String(64), nullable=False),
    Column("post_id", Uuid, nullable=False),
    Column("created_at", UtcMillis, nullable=False, index=True),
)

attempts = Table(
    # One row per attempt, committed before the irreversible call and kept after the post is deleted. Open (no
    # finished_at) means that it isn't known yet whether the call published.
    "attempts",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("post_id", Uuid, nullable=False, index=True),
    Column("account_id", ForeignKey("accounts.id"), nullable=False),
    Column("step", String(20), nullable=False),
    Column("outcome", String(20), nullable=False),
    Column("started_at", UtcMillis, nullable=False, index=True),
    Column("finished_at", UtcMillis),
    Column("unknown_since", UtcMillis),  # when the response was found to be lost
    Column("content_id", Text),
    Column("platform_code", Text),
    Column("platform_message", Text),
    Column("advice", Text),
    partial_index("ix_attempts_open", "post_id", where="finished_at IS NULL"),
)

contents = Table(
    # Published content: the content history, and the record of which platform items belong to posts.
    "contents",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("account_id", ForeignKey("accounts.id"), nullable=False),
    Column("connection_id", ForeignKey("connections.id"), nullable=False),
    Column("platform", String(20), nullable=False),
    Column("content_id", Text, nullable=False),
    Column("url", Text),  # its public URL, if the platform returned one
    Column("post_id", Uuid, index=True),
    Column("title", Text),
    Column("description", Text),
    Column("media_url", Text),
    Column("media_type", String(20)),
    Column("status", Text),
    Column("batch_id", Text),
    Column("created_via", String(10), nullable=False),
    Column("created_at", UtcMillis, nullable=False),
    Column("next_sample_at", UtcMillis),  # when to sample its metrics next; null: never again
    UniqueConstraint("connection_id", "content_id"),
    Index("ix_contents_page", "account_id", "created_at", "id"),
    Index("ix_contents_platform_page", "account_id", "platform", "created_at", "id"),
    partial_index("ix_contents_next_sample", "next_sample_at", where="next_sample_at IS NOT NULL"),
)

publication_steps = Table(
    # Progress of uploads to a platform, so that a restart resumes them.
    "publication_steps",
    metadata,
    Column("post_id", Uuid, primary_key=True),
    Column("name", String(40), primary_key=True),
    Column("value", LargeBinary, nullable=False),  # encrypted with the post's id: it may contain signed URLs
)

preparations = Table(
    # Which worker uploads a post's file: a preparer ahead of time, or the publisher when it is due.
    "preparations",
    metadata,
    Column("post_id", Uuid, primary_key=True),
    Column("held_by", Uuid),  # the only worker that may write the post's steps
    Column("held_until", UtcMillis),  # when a preparer's hold expires; null: free
    # number of failed uploads ahead of time
    Column("tries", Integer, nullable=False, server_default=text("0")),
    Column("next_at", UtcMillis),  # no retry ahead of time before this
    Column("settled_at", UtcMillis),  # start of the upload after which nothing is left to do ahead of time
)

metrics = Table(
    # One row per item and day (UTC); a later sample of the day replaces an earlier one.
    "metrics",
    metadata,
    Column("id", Uuid, primary_key=True),
    Column("account_id", ForeignKey("accounts.id"), nullable=False),
    Column("connection_id", ForeignKey("connections.id"), nullable=False),
    Column("platform", String(20), nullable=False),
    Column("content_id", Text, nullable=False),
    Column("metric_date", Date, nullable=False, index=True),
    # 0 if the platform doesn't report it.
    Column("views", BigInteger, nullable=False),
    Column("likes", BigInteger, nullable=False),
    Column("comments", BigInteger, nullable=False),
    Column("shares", BigInteger, nullable=False),
    Column("subscribers", BigInteger, nullable=False),
    Column("created_at", UtcMillis, nullable=False),
    UniqueConstraint("connection_id", "content_id", "metric_date"),
    Index("ix_metrics_page", "account_id", "metric_date", "id"),
    Index("ix_metrics_platform_page", "account_id", "platform", "metric_date", "id"),
    Index("ix_metrics_content_page", "account_id", "content_id", "metric_date", "id"),
)
