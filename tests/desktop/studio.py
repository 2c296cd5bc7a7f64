"""The Okafor Studio of the mock-ups: accounts and two months of posts around today."""

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from app.contract.enums import ConnectionPlatform, PostingPlatform, PostStatus, PostType
from app.workspace.accounts.account import Account
from app.workspace.clock import now_in
from app.workspace.posts.planned import PlannedPost, SyncState

ZONE = ZoneInfo("Europe/Lisbon")

_ACCOUNTS = (
    ("instagram", "Maya Okafor", "maya.okafor", 0),
    ("linkedin", "Okafor Studio", "okafor-studio", 1),
    ("x", "Okafor Studio", "okaforstudio", 2),
    ("pinterest", "Okafor Studio", "okaforstudio", 3),
    ("tiktok", "Maya Makes", "maya.makes", 4),
    ("youtube", "Maya Makes", "mayamakes", 5),
    ("facebook", "Okafor Studio", "okafor.studio", 6),
)

# day relative to today, time, platform, words, and what is special
_POSTS = (
    (-19, "09:00", "linkedin", "Autumn capsule: the making of", "image"),
    (-19, "12:15", "instagram", "Behind the dye bath", "image"),
    (-17, "08:30", "x", "Three things linen taught me", ""),
    (-16, "17:00", "youtube", "Studio tour, one year on", "video"),
    (-16, "18:30", "tiktok", "Fold, press, repeat", "video"),
    (-12, "09:00", "linkedin", "We are hiring a pattern cutter", ""),
    (-11, "12:15", "instagram", "Moodboard: winter whites", "image"),
    (-11, "13:00", "pinterest", "Winter whites board", "image"),
    (-9, "08:30", "x", "A thread on thread counts", ""),
    (-9, "10:00", "facebook", "Open studio this Saturday", "failed"),
    (-8, "18:30", "tiktok", "60-second hem", "video"),
    (-5, "09:00", "linkedin", "How we price a coat", ""),
    (-4, "12:15", "instagram", "Swatch day", "image"),
    (-4, "17:00", "youtube", "Fitting room: the long coat", "unknown"),
    (-2, "08:30", "x", "What the customer sees last", ""),
    (-2, "13:00", "pinterest", "Long coat, eight ways", "image"),
    (-1, "18:30", "tiktok", "Steam vs. press", "video"),
    (0, "22:30", "linkedin", "Winter lookbook is live: 24 pieces", "image"),
    (0, "23:00", "instagram", "Lookbook, page by page", "image"),
    (2, "09:00", "linkedin", "Five questions before you cut", ""),
    (2, "10:30", "x", "Lookbook thread, part one", "waiting"),
    (2, "12:15", "instagram", "Fitting notes", "image"),
    (3, "12:15", "instagram", "Wool, three weights", "image"),
    (3, "13:00", "pinterest", "Wool, three weights", "image"),
    (3, "15:00", "facebook", "Gift guide: under 80", ""),
    (3, "18:30", "tiktok", "Packing orders with the radio on", "video"),
    (3, "20:00", "youtube", "Q & A premiere", "video"),
    (4, "09:00", "linkedin", "Returns, honestly: what came back and why", ""),
    (5, "08:30", "x", "Small batch maths: what 24 pieces cost", ""),
    (5, "12:15", "instagram", "Thanksgiving table linen", "image"),
    (6, "08:00", "facebook", "Studio sale opens at nine", ""),
    (6, "08:00", "instagram", "Studio sale opens at nine", "image"),
    (6, "08:00", "x", "Studio sale opens at nine", ""),
    (6, "08:05", "linkedin", "Studio sale: how we set prices", ""),
    (6, "10:15", "pinterest", "Studio sale board", "image"),
    (7, "11:00", "tiktok", "Sale day, hour by hour", "video"),
    (7, "18:00", "facebook", "Last hours", "cancelled"),
    (8, "17:00", "youtube", "Mending club, ep. 12", "video"),
)


def accounts(*, practice: bool = False) -> list[Account]:
    """The studio's accounts, connected in spring."""
    connected = datetime(2026, 3, 12, 10, tzinfo=ZONE)
    return [
        Account(
            key=platform,
            platform=ConnectionPlatform(platform),
            name=name,
            handle=handle,
            identifier=f"id-{platform}",
            avatar_url=None,
            followers=9_364 + 2_000 * color,
            is_verified=platform in ("instagram", "x"),
            is_available=True,
            token_expires_at=None,
            connected_at=connected,
            color_index=color,
            practice=practice,
        )
        for platform, name, handle, color in _ACCOUNTS
    ]


def posts(today: datetime | None = None) -> list[PlannedPost]:
    """The studio's posts around a day."""
    midnight = datetime.combine((today or now_in(ZONE)).date(), time(), ZONE)
    return [_post(number, midnight, *each) for number, each in enumerate(_POSTS)]


def _post(
    number: int, midnight: datetime, day: int, clock: str, platform: str, text: str, kind: str
) -> PlannedPost:
    hour, minute = (int(part) for part in clock.split(":"))
    moment = datetime.combine(midnight.date() + timedelta(days=day), time(hour, minute), ZONE)
    is_past = day < 0
    status = PostStatus.POSTED if is_past else PostStatus.SCHEDULED
    status = {
        "failed": PostStatus.FAILED,
        "unknown": PostStatus.FAILED,
        "cancelled": PostStatus.CANCELLED,
    }.get(kind, status)
    return PlannedPost(
        key=f"00000000-0000-4000-8000-{number:012}",
        at=round(moment.timestamp() * 1_000),
        account_key=platform,
        platform=PostingPlatform(platform),
        post_type={"image": PostType.IMAGE, "video": PostType.VIDEO}.get(kind, PostType.TEXT),
        status=status,
        headline=text,
        sync=SyncState.WAITING if kind == "waiting" else SyncState.SYNCED,
        reason={"failed": "Permission missing", "unknown": "No answer within 30 seconds"}.get(kind, ""),
        may_be_live=kind == "unknown",
        published=status is PostStatus.POSTED,
    )
