"""What the pictures show: the studio's accounts and posts, a week with lanes, a dense month, odd texts."""

from datetime import datetime, timedelta
from itertools import cycle

from app.workspace.clock import now_in, wall_clock
from tests.desktop import studio
from tests.gallery.service import StudioService, at

ZONE = studio.ZONE
WAITING = "Lookbook thread, part one"
"""The headline of the post whose move is on its way in the full month."""

LONG_TEXT = (
    "The long wool coat is back: same pattern, heavier cloth, and pockets big enough for a paperback. "
    "We cut 24 pieces by hand in Lisbon, and each is numbered inside the collar. Orders open on Thursday "
    "at nine, and the list for the spring run opens the same day for everyone who was on the last one.\n\n"
    "#slowfashion #wool"
)

_ACCOUNTS = (
    ("instagram", "Maya Okafor", "maya.okafor", (2026, 3, 12, 9), 48_210, True, 52),
    ("linkedin", "Okafor Studio", "okafor-studio", (2026, 3, 12, 10), 9_364, False, 41),
    ("x", "Okafor Studio", "okaforstudio", (2026, 4, 2, 11), 21_907, True, None),
    ("pinterest", "Okafor Studio", "okaforstudio", (2026, 5, 19, 12), 6_118, False, 27),
    ("tiktok", "Maya Makes", "maya.makes", (2026, 8, 24, 13), 132_480, True, 4),
    ("youtube", "Maya Makes", "mayamakes", (2026, 9, 4, 14), 18_940, True, -2),
    ("facebook", "Okafor Studio", "okafor.studio", (2026, 9, 5, 15), 3_020, False, 60),
    ("threads", "Maya Okafor", "maya.okafor", (2026, 9, 6, 16), 12_655, False, None),
)

# weekday from Monday, time, platform, words, kind
_WEEK = (
    (0, "09:00", "linkedin", "Five questions before you cut", "text"),
    (0, "10:30", "x", "Lookbook thread, part one", "text"),
    (0, "12:15", "instagram", "Fitting notes", "image"),
    (0, "15:00", "facebook", "Open studio Saturday", "text"),
    (0, "18:30", "tiktok", "Hem in a minute", "video"),
    (1, "09:00", "youtube", "Fitting room: the long coat", "video"),
    (1, "12:15", "instagram", "Wool, three weights", "image"),
    (1, "12:15", "pinterest", "Wool, three weights", "image"),
    (1, "15:00", "facebook", "Gift guide: ten things under 80", "text"),
    (1, "18:30", "tiktok", "Packing orders with the radio on", "video"),
    (1, "20:00", "youtube", "Q & A premiere", "video"),
    (2, "09:00", "linkedin", "Returns, honestly: what came back and why", "text"),
    (2, "12:15", "instagram", "One coat, four people", "image"),
    (2, "17:00", "tiktok", "Pressing a collar", "video"),
    (3, "08:30", "x", "Small batch maths: what 24 pieces cost", "text"),
    (3, "12:15", "instagram", "Thanksgiving table linen", "image"),
    (3, "15:15", "linkedin", "A year of one pattern", "text"),
    (4, "08:00", "facebook", "Studio sale opens at nine", "text"),
    (4, "08:00", "instagram", "Studio sale opens at nine", "image"),
    (4, "08:00", "x", "Studio sale opens at nine", "text"),
    (4, "10:00", "linkedin", "Studio sale: how we set prices", "text"),
    (4, "10:15", "pinterest", "Studio sale board", "image"),
    (4, "19:00", "tiktok", "Sale, last call before the doors close", "video"),
    (5, "11:00", "tiktok", "Sale day, hour by hour", "video"),
    (5, "18:00", "facebook", "Last hours", "text"),
    (5, "22:30", "x", "Sold out, thank you", "text"),
    (6, "17:00", "youtube", "Mending club, ep. 12", "video"),
)


def empty_studio(*, practice: bool = False) -> StudioService:
    """The studio's accounts without a post. ``practice``: LinkedIn and X only, as stand-ins."""
    service = StudioService(wall_clock, attempts={}, practice=practice)
    for platform, name, handle, connected, followers, verified, days in _ACCOUNTS:
        if practice and platform not in ("linkedin", "x"):
            continue
        service.connect(
            platform,
            "Practice Person" if practice else name,
            f"practice-{platform}" if practice else handle,
            datetime(*connected, tzinfo=ZONE),
            followers=250 if practice else followers,
            verified=verified and not practice,
            ends_in=None if days is None or practice else timedelta(days=days, hours=-3),
        )
    return service


def full_studio(*, practice: bool = False) -> StudioService:
    """The studio's two months of posts around today."""
    service = empty_studio(practice=practice)
    accounts = {connection["platform"] for connection in service.connections}
    for post in studio.posts():
        if post.platform.value in accounts:
            service.copy(post)
    return service


def this_monday() -> int:
    """Days from today to the Monday of this week: 0 or less."""
    return -now_in(ZONE).weekday()


def week_studio(*, week: int = 0, clock: str = "") -> StudioService:
    """A week with lanes, one failed post and one whose outcome nobody knows; ``week`` 1 is the next one."""
    service = empty_studio()
    monday = this_monday() + 7 * week
    for day, time, platform, text, kind in _WEEK:
        moment = at(monday + day, clock or time, ZONE)
        broken = not week and text in ("Open studio Saturday", "Fitting room: the long coat")
        if text == "Last hours":
            service.plan(moment, platform, text, kind=kind, status="cancelled")
        elif broken and moment < wall_clock():
            unknown = platform == "youtube"
            key = service.plan(moment, platform, text, kind=kind, status="failed")
            reason = "No answer within 30 seconds" if unknown else "Permission missing"
            service.fail(key, reason, unknown=unknown)
        else:
            service.plan(moment, platform, text, kind=kind)
    return service


def dense_studio() -> StudioService:
    """More than a hundred posts in five weeks, fourteen of them tomorrow, and many at the same time."""
    service = empty_studio()
    texts = cycle(studio.posts())
    for day in range(-14, 21):
        for number in range(14 if day == 1 else 3 + day % 3):
            post = next(texts)
            clock = "12:00" if day == 1 and number < 6 else f"{8 + number}:{15 * (number % 4):02}"
            service.plan(
                at(day, f"{clock:0>5}", ZONE), post.platform.value, post.headline, kind=post.post_type.value
            )
    return service


def odd_texts() -> StudioService:
    """Texts that are long, written from the right, without spaces, empty, or full of emoji."""
    service = empty_studio()
    service.connections[0] |= {"display_name": "סטודיו מאיה, תל אביב", "username": "maya.tlv"}
    service.connections[1] |= {
        "display_name": "Gesellschaft für nachhaltige Bekleidungsherstellung und Handwerksgeschichte mbH",
        "username": "gesellschaft-fuer-nachhaltige-bekleidungsherstellung",
    }
    texts = (
        (-3, "instagram", "مجموعة الشتاء متاحة الآن: ٢٤ قطعة فقط"),
        (1, "linkedin", "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"),
        (2, "x", "🧵🧵🧵 👩🏽‍🎨👨‍👩‍👧‍👦 🇵🇹 ✂️ 24 pieces"),
        (2, "instagram", "החורף כבר כאן: מעיל צמר ארוך, English inside, ועוד מילים"),
        (3, "linkedin", LONG_TEXT),
        (3, "pinterest", "https://okafor.studio/lookbook/winter/2026/long-wool-coat?ref=calendar&size=all"),
        (4, "x", "冬のルックブックを公開しました。手縫いのコート二十四着。"),
        (5, "facebook", "<b>No markup</b> &amp; no surprises"),
        (6, "tiktok", "."),
    )
    for number, (day, platform, text) in enumerate(texts):
        service.plan(at(day, f"{9 + number:02}:30", ZONE), platform, text)
    return service
