"""Whether a platform would accept a post, with messages that say how to fix it."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import regex

from app.contract.enums import PostingPlatform, PostType
from app.language import number, tr, trn
from app.platforms.card import PlatformRules, TextUnit
from app.platforms.cards import name_of
from app.platforms.rules import files
from app.platforms.rules.files import MediaFacts
from app.platforms.rules.tables import RULES, Length, count, length_of, post_rules, unknown_options

if TYPE_CHECKING:
    # pydantic would delay the app's first window
    from app.contract.places import PlaceLimits, PlaceOptions

_PLURALS: Final = {
    PostType.TEXT: tr("text posts"),
    PostType.IMAGE: tr("images"),
    PostType.VIDEO: tr("videos"),
}
_HASHTAG: Final = regex.compile(r"(?<![\w&/])#(?=\w*[^\W\d_])\w+")
_Excess = Callable[[str, int, int], str]
"""Returns the message for a platform's name, limit and found number."""
_MENTION: Final = regex.compile(r"(?<![\w@./])@\w")


@dataclass(frozen=True, slots=True)
class RuleIssue:
    """A problem with one field of a create body.

    Attributes:
        field: Its name in the contract, such as ``description``.
        message: A sentence for the user.
        type: A short word for programs, such as ``too_long``.
    """

    field: str
    message: str
    type: str


@dataclass(frozen=True, slots=True)
class _Draft:
    rules: PlatformRules
    platform: PostingPlatform
    post_type: PostType
    title: str
    text: str
    has_media: bool
    media: MediaFacts | None
    board_id: str
    unreachable: Collection[PostType]
    limits: "PlaceLimits | None"
    options: "PlaceOptions | None"

    @property
    def name(self) -> str:
        return name_of(self.platform)


def check(
    *,
    platform: PostingPlatform,
    post_type: PostType,
    title: str | None,
    text: str | None,
    has_media: bool = False,
    media: MediaFacts | None = None,
    board_id: str | None = None,
    unreachable: Collection[PostType] = (),
    limits: "PlaceLimits | None" = None,
    options: "PlaceOptions | None" = None,
) -> list[RuleIssue]:
    """Return everything that prevents publishing; empty if nothing does.

    ``media`` has the known properties of the file; with only ``has_media``, the file isn't checked.
    ``unreachable`` are post types whose file the platform would have to fetch, but can't. ``limits`` are
    those of the account's server, and ``options`` the post's, on companion networks. Posts to an unknown
    platform have no issues here, because only the service knows its rules.
    """
    rules = post_rules(platform, limits)
    if rules is None:
        return []
    draft = _Draft(
        rules=rules,
        platform=platform,
        post_type=post_type,
        title=title or "",
        text=text or "",
        has_media=has_media or media is not None,
        media=media,
        board_id=board_id or "",
        unreachable=unreachable,
        limits=limits,
        options=options,
    )
    parts = (_kind_issues, _text_issues, _title_issues, _media_issues, _board_issues, _option_issues)
    return [issue for part in parts for issue in part(draft)]


def _kind_issues(draft: _Draft) -> Iterator[RuleIssue]:
    rules, post_type = draft.rules, draft.post_type
    if post_type not in rules.post_types:
        yield RuleIssue("post_type", _not_taken(draft.name, post_type), "unsupported")
    elif post_type not in rules.publishable:
        yield RuleIssue("post_type", not_publishable(draft.platform, post_type), "not_publishable")
    elif post_type in draft.unreachable:
        yield RuleIssue("post_type", not_reachable(draft.platform, post_type), "no_public_address")


def _not_taken(name: str, post_type: PostType) -> str:
    if post_type is PostType.TEXT:
        return tr("{platform} needs an image or video.", platform=name)
    kinds = _PLURALS.get(post_type) or tr("{kind} posts", kind=post_type.value)
    return tr("{platform} can't publish {kinds}.", platform=name, kinds=kinds)


def not_publishable(platform: PostingPlatform, post_type: PostType) -> str:
    """Return the message for a post type that the platform supports but Kalends doesn't."""
    name = name_of(platform)
    if not RULES[platform].publishable:
        return tr("Kalends can't publish to {platform} yet.", platform=name)
    kinds = _PLURALS[post_type]
    return tr("Kalends can't publish {kinds} to {platform} yet.", kinds=kinds, platform=name)


def not_reachable(platform: PostingPlatform, post_type: PostType) -> str:
    """Return the message for a post type whose file the platform can't fetch from this service."""
    return tr(
        "{platform} downloads {kinds} from a public address, which this service "
        "doesn't have. Set public_origin under [media] in its settings, or choose "
        "another post type.",
        platform=name_of(platform),
        kinds=_PLURALS[post_type],
    )


def _text_issues(draft: _Draft) -> Iterator[RuleIssue]:
    rules, text = draft.rules, draft.text
    if draft.post_type is PostType.TEXT and not text.strip():
        yield RuleIssue("description", tr("A text post needs text."), "required_by_post_type")
    warning = (draft.options.content_warning if draft.options else None) or ""
    length = length_of(draft.platform, text, draft.post_type, rules, warning)
    if length.over > 0:
        yield RuleIssue("description", _too_long(draft, length), "too_long")
    yield from _forbidden_issues(draft, "description", text)
    yield from _too_many(draft.name, rules.hashtags_max, _hashtags, _HASHTAG, text)
    yield from _too_many(draft.name, rules.mentions_max, _mentions, _MENTION, text)
    if rules.cashtags_max is not None and (found := _count_cashtags(text)) > rules.cashtags_max:
        yield RuleIssue("description", _cashtags(draft.name, rules.cashtags_max, found), "too_many")


def _title_issues(draft: _Draft) -> Iterator[RuleIssue]:
    rules = draft.rules
    if draft.post_type not in rules.title_types:
        return
    if rules.title_needed and not (draft.title.strip() or draft.text.strip()):
        yield RuleIssue("title", tr("{platform} needs a title.", platform=draft.name), "missing")
    length = count(rules.title_unit, draft.title)
    if rules.title_max is not None and length > rules.title_max:
        message = trn(
            "The title is {over} character too long for {platform} (limit {most}).",
            "The title is {over} characters too long for {platform} (limit {most}).",
            over := length - rules.title_max,
            platform=draft.name,
            over=number(over),
            most=number(rules.title_max),
        )
        yield RuleIssue("title", message, "too_long")
    yield from _forbidden_issues(draft, "title", draft.title)


def _media_issues(draft: _Draft) -> Iterator[RuleIssue]:
    if draft.has_media and draft.post_type is PostType.TEXT:
        yield RuleIssue("media_storage_path", tr("A text post can't have a file. Remove it."), "unsupported")
    elif not draft.has_media and draft.post_type in {PostType.IMAGE, PostType.VIDEO}:
        is_video = draft.post_type is PostType.VIDEO
        message = tr("Choose the video to publish.") if is_video else tr("Choose the image to publish.")
        yield RuleIssue("media_storage_path", message, "missing")
    if draft.media is not None:
        yield from check_file(draft.platform, draft.post_type, draft.media, draft.limits)


def check_file(
    platform: PostingPlatform, post_type: PostType, facts: MediaFacts, limits: "PlaceLimits | None" = None
) -> Iterator[RuleIssue]:
    """Return the problems of a file, by its known properties and the ``limits`` of the account's server."""
    for message, kind in files.problems(platform, post_type, facts, limits):
        yield RuleIssue("media_storage_path", message, kind)


def _option_issues(draft: _Draft) -> Iterator[RuleIssue]:
    for field, message in unknown_options(draft.platform, draft.options):
        yield RuleIssue(field, message, "unsupported")


def _board_issues(draft: _Draft) -> Iterator[RuleIssue]:
    if draft.rules.board_needed and not draft.board_id.strip():
        message = tr("Choose a board on {platform}.", platform=draft.name)
        yield RuleIssue("pinterest_board_id", message, "missing")


def _forbidden_issues(draft: _Draft, field: str, text: str) -> Iterator[RuleIssue]:
    found = [char for char in draft.rules.forbidden if char in text]
    if found:
        named = tr(" or ").join(char if char.isprintable() else f"U+{ord(char):04X}" for char in found)
        message = tr("{platform} doesn't allow {characters} here.", platform=draft.name, characters=named)
        yield RuleIssue(field, message, "character")


def _too_long(draft: _Draft, length: Length) -> str:
    over = length.over
    values = {"platform": draft.name, "over": number(over), "most": number(length.allowed)}
    if length.unit is TextUnit.UTF8_BYTES:
        return trn(
            "{over} byte too long for {platform} (limit {most}).",
            "{over} bytes too long for {platform} (limit {most}).",
            over,
            **values,
        )
    return trn(
        "{over} character too long for {platform} (limit {most}).",
        "{over} characters too long for {platform} (limit {most}).",
        over,
        **values,
    )


def _too_many(
    name: str, most: int | None, message: _Excess, pattern: "regex.Pattern[str]", text: str
) -> Iterator[RuleIssue]:
    if most is not None and (found := len(pattern.findall(text))) > most:
        yield RuleIssue("description", message(name, most, found), "too_many")


def _hashtags(platform: str, most: int, found: int) -> str:
    return trn(
        "{platform} allows {n} hashtag; this post has {found}.",
        "{platform} allows {n} hashtags; this post has {found}.",
        most,
        platform=platform,
        found=found,
    )


def _mentions(platform: str, most: int, found: int) -> str:
    return trn(
        "{platform} allows {n} mention; this post has {found}.",
        "{platform} allows {n} mentions; this post has {found}.",
        most,
        platform=platform,
        found=found,
    )


def _count_cashtags(text: str) -> int:
    from app.platforms.x.text import cashtags  # its patterns take 10 ms to compile

    return cashtags(text)


def _cashtags(platform: str, most: int, found: int) -> str:
    return trn(
        "{platform} allows {n} cashtag; this post has {found}.",
        "{platform} allows {n} cashtags; this post has {found}.",
        most,
        platform=platform,
        found=found,
    )
