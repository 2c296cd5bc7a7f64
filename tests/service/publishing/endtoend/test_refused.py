"""Whatever a platform does not take is refused when the post is created, and the field is named.

Every case is made from the rules table, so that a new rule is tried here or makes
``test_no_rule_is_forgotten`` fail.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import uuid4

import pytest
from sqlalchemy import insert

from app.contract.enums import PostingPlatform, PostType
from app.platforms.cards import name_of
from app.platforms.rules import FILES, RULES, FileRules, PlatformRules, TextUnit
from app.service.store.tables import media
from tests.service.media.samples import SAMPLES
from tests.service.running import Caller, RunningService, run_service
from tests.service.test_envelope import fields as issues

_PLATFORMS: Final = [(platform, rules) for platform, rules in RULES.items() if platform.is_known]
# A character of each unit that a naive count gets wrong, and what it counts.
_WIDE: Final = {
    TextUnit.CODE_POINTS: ("🧶", 1),
    TextUnit.UTF16_UNITS: ("🧶", 2),
    TextUnit.UTF8_BYTES: ("ü", 2),
    TextUnit.X_WEIGHT: ("語", 2),
}


@dataclass(frozen=True)
class Case:
    """A post that is good but for one thing.

    Attributes:
        changes: Fields of the create body that are bad; None takes one out.
        file: What is on record of the file, where it is that.
        refused: What the refusal must name; None: nothing, the post is as far as it may go.
    """

    name: str
    platform: PostingPlatform
    post_type: PostType
    refused: str | None
    type: str = ""
    changes: dict[str, Any] = field(default_factory=dict)
    file: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.platform.value} {self.post_type.value} {self.name}"


@pytest.fixture(scope="module")
def _reachable(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service from which platforms can fetch files."""
    with run_service(tmp_path_factory.mktemp("service"), {}, reachable=True) as running:
        yield running


@pytest.fixture
def service(_reachable: RunningService) -> Iterator[RunningService]:
    yield _reachable
    _reachable.forget_callers()


def _good_file(platform: PostingPlatform, post_type: PostType) -> dict[str, Any]:
    """A file in the middle of what the rules allow."""
    rules = FILES[platform, post_type]
    usual = "image/jpeg" if post_type is PostType.IMAGE else "video/mp4"
    assert not rules.content_types or usual in rules.content_types
    facts: dict[str, Any] = {"content_type": usual, "size_bytes": max(rules.bytes_min, 1_000_000)}
    facts |= {"width": 720, "height": 720}
    return facts | ({"duration_ms": 10_000} if post_type is PostType.VIDEO else {})


def _put(caller: Caller, case: Case) -> str:
    """Puts a file on record without its bytes, which may be too many for any disk; gives its path."""
    path = f"{caller.account_id}/file-{uuid4().hex[:8]}"
    facts = {**_good_file(case.platform, case.post_type), **case.file}
    row = {
        "id": uuid4(),
        "account_id": caller.account_id,
        "storage_path": path,
        "kind": str(facts["content_type"]).partition("/")[0],
        "sha256": "0" * 64,
        "created_at": caller.service.clock(),
        **facts,
    }
    caller.service.database.write_now(lambda rows: rows.execute(insert(media).values(row)))
    return path


def _body(caller: Caller, case: Case) -> dict[str, Any]:
    body = caller.post_body(caller.connect(case.platform), platform=case.platform, post_type=case.post_type)
    if (case.platform, case.post_type) in FILES:
        body["media_storage_path"] = _put(caller, case)
    if RULES[case.platform].board_needed:
        body["pinterest_board_id"] = "1"
    body |= case.changes
    optional = {"title", "media_storage_path", "pinterest_board_id"}
    return {name: value for name, value in body.items() if value is not None or name not in optional}


def _ask(caller: Caller, case: Case) -> None:
    answer = caller.http.post("/posts", json=_body(caller, case))

    if case.refused is None:
        assert answer.status_code == 201, answer.text
        return
    assert issues(answer) == {case.refused: case.type}
    [issue] = answer.json()["error"]["details"]["errors"]
    assert name_of(case.platform) in issue["message"] or case.type in {
        "missing",
        "required_by_post_type",
        "wrong_kind",
    }


# Kinds


def _unpublishable() -> Iterator[Case]:
    for platform, rules in _PLATFORMS:
        for post_type in PostType:
            if post_type not in rules.post_types:
                yield Case("is not taken", platform, post_type, "post_type", "unsupported")
            elif post_type not in rules.publishable:
                yield Case("cannot be sent", platform, post_type, "post_type", "not_publishable")


@pytest.mark.parametrize("case", list(_unpublishable()), ids=str)
def test_kinds(caller: Caller, case: Case) -> None:
    answer = caller.http.post("/posts", json=_body(caller, case))

    assert issues(answer)["post_type"] == case.type


# Texts and titles


def _sendable() -> Iterator[tuple[PostingPlatform, PlatformRules, PostType]]:
    for platform, rules in _PLATFORMS:
        for post_type in sorted(rules.publishable):
            yield platform, rules, post_type


def _of_length(unit: TextUnit, length: int) -> str:
    """A text that is exactly so long in the platform's own unit, mostly of what naive counts get wrong."""
    wide, weight = _WIDE[unit]
    return wide * (length // weight) + "a" * (length % weight)


def _texts() -> Iterator[Case]:
    for platform, rules, post_type in _sendable():
        most = rules.text_max_of(post_type)
        longest, longer = (_of_length(rules.text_unit, length) for length in (most, most + 1))
        title = {"title": "A title"} if rules.title_needed else {}
        if len(longer) <= 10_000:  # what the contract itself allows
            yield Case("longest text", platform, post_type, None, changes={"description": longest, **title})
            yield Case(
                "longer text",
                platform,
                post_type,
                "description",
                "too_long",
                {"description": longer, **title},
            )
        for most_of, sign in (
            (rules.hashtags_max, "#wool{} "),
            (rules.mentions_max, "@wool{} "),
            (rules.cashtags_max, "$WOOL{} "),
        ):
            if most_of is not None:
                many = "".join(sign.format("ABCDEFGHIJKLMNOPQRSTUVWXYZ"[n % 26]) for n in range(most_of + 1))
                fewer = many.strip().rpartition(" ")[0]
                yield Case(f"most {sign[0]}", platform, post_type, None, changes={"description": fewer})
                yield Case(
                    f"more {sign[0]}", platform, post_type, "description", "too_many", {"description": many}
                )
        for char in rules.forbidden:
            yield Case(
                f"U+{ord(char):04X} in the text",
                platform,
                post_type,
                "description",
                "character",
                {"description": f"a {char} b", **title},
            )


@pytest.mark.parametrize("case", list(_texts()), ids=str)
def test_texts(caller: Caller, case: Case) -> None:
    _ask(caller, case)


def _titles() -> Iterator[Case]:
    for platform, rules, post_type in _sendable():
        if post_type not in rules.title_types:
            if rules.title_max is None or rules.title_max < 500:
                yield Case("ignored title", platform, post_type, None, changes={"title": "t" * 500})
            continue
        if rules.title_max is not None:
            most = rules.title_max // (2 if rules.title_unit is TextUnit.UTF16_UNITS else 1)
            yield Case("longest title", platform, post_type, None, changes={"title": "🧶" * most})
            longer = {"title": "🧶" * (most + 1)}
            yield Case("longer title", platform, post_type, "title", "too_long", longer)
        if rules.title_needed:
            yield Case(
                "no title", platform, post_type, "title", "missing", {"title": None, "description": None}
            )
        for char in rules.forbidden:
            yield Case(
                f"U+{ord(char):04X} in the title",
                platform,
                post_type,
                "title",
                "character",
                {"title": f"a {char} b"},
            )


@pytest.mark.parametrize("case", list(_titles()), ids=str)
def test_titles(caller: Caller, case: Case) -> None:
    _ask(caller, case)


def _wants() -> Iterator[Case]:
    for platform, rules, post_type in _sendable():
        if rules.board_needed:
            for board in (None, " "):
                bad = {"pinterest_board_id": board}
                yield Case(f"board {board!r}", platform, post_type, "pinterest_board_id", "missing", bad)
        if post_type is PostType.TEXT:
            for text in (None, "", " \n"):
                kind = "required_by_post_type"
                yield Case(f"text {text!r}", platform, post_type, "description", kind, {"description": text})
        else:
            bad = {"media_storage_path": None}
            yield Case("no file", platform, post_type, "media_storage_path", "missing", bad)


@pytest.mark.parametrize("case", list(_wants()), ids=str)
def test_what_must_be_there(caller: Caller, case: Case) -> None:
    _ask(caller, case)


# Files


def _kinds_of_files() -> Iterator[Case]:
    for platform, rules, post_type in _sendable():
        if (platform, post_type) not in FILES:
            continue
        taken = FILES[platform, post_type].content_types
        for content_type in SAMPLES:
            is_kind = content_type.startswith(post_type.value)
            reason = None if is_kind and (content_type in taken or not taken) else "media_storage_path"
            word = "unsupported" if is_kind else "wrong_kind"
            title = {"title": "A title"} if rules.title_needed else {}
            file = {"content_type": content_type}
            yield Case(content_type, platform, post_type, reason, word if reason else "", title, file)


@pytest.mark.parametrize("case", list(_kinds_of_files()), ids=str)
def test_kinds_of_files(caller: Caller, case: Case) -> None:
    _ask(caller, case)


def _bytes(rules: FileRules) -> Iterator[tuple[str, dict[str, Any], str]]:
    if rules.bytes_max is not None:
        yield "most bytes", {"size_bytes": rules.bytes_max}, ""
        yield "more bytes", {"size_bytes": rules.bytes_max + 1}, "too_large"
    if rules.gif_bytes_max is not None:
        yield "largest GIF", {"content_type": "image/gif", "size_bytes": rules.gif_bytes_max}, ""
        yield (
            "larger GIF",
            {"content_type": "image/gif", "size_bytes": rules.gif_bytes_max + 1},
            "too_large",
        )
    if rules.bytes_min > 1:
        yield "fewest bytes", {"size_bytes": rules.bytes_min}, ""
        yield "fewer bytes", {"size_bytes": rules.bytes_min - 1}, "too_small"


def _shapes(rules: FileRules) -> Iterator[tuple[str, dict[str, Any], str]]:
    if rules.pixels_max is not None:
        side = int(rules.pixels_max**0.5)
        yield "most pixels", {"width": side, "height": side}, ""
        yield "more pixels", {"width": side + 1, "height": side + 1}, "too_large"
    if rules.side is not None:
        fewest, most = rules.side
        for name, side in (("smallest", fewest), ("largest", most)):
            yield f"{name} sides", {"width": side, "height": side}, ""
        yield "smaller", {"width": fewest - 1, "height": fewest}, "dimensions"
        yield "larger", {"width": most, "height": most + 1}, "dimensions"
    if rules.width_max is not None:
        yield "most pixels across", {"width": rules.width_max, "height": rules.width_max}, ""
        yield "more pixels across", {"width": rules.width_max + 1, "height": rules.width_max}, "dimensions"
    if rules.ratio is not None:
        narrowest, widest = rules.ratio
        yield "narrowest", {"width": round(1200 * narrowest), "height": 1200}, ""
        yield "widest", {"width": round(400 * widest), "height": 400}, ""
        yield "narrower", {"width": round(1200 * narrowest) - 20, "height": 1200}, "ratio"
        yield "wider", {"width": round(400 * widest) + 20, "height": 400}, "ratio"


def _lengths(rules: FileRules) -> Iterator[tuple[str, dict[str, Any], str]]:
    if rules.duration_ms is not None:
        shortest, longest = rules.duration_ms
        yield "shortest", {"duration_ms": shortest}, ""
        yield "longest", {"duration_ms": longest}, ""
        yield "longer", {"duration_ms": longest + 1}, "too_long"
        if shortest > 0:
            yield "shorter", {"duration_ms": shortest - 1}, "too_short"


def _codings(rules: FileRules) -> Iterator[tuple[str, dict[str, Any], str]]:
    for codec in sorted(rules.video_codecs):
        yield codec, {"video_codec": codec}, ""
    if rules.video_codecs:
        yield "another coding", {"video_codec": "mpeg4"}, "codec"
    for codec in sorted(rules.audio_codecs):
        yield f"sound as {codec}", {"audio_codec": codec}, ""
    if rules.audio_codecs:
        yield "silence", {"audio_codec": ""}, ""
        yield "another sound", {"audio_codec": "mp3"}, "codec"
    if rules.frame_rate is not None:
        fewest, most = rules.frame_rate
        yield "most frames", {"frame_rate": most}, ""
        yield "more frames", {"frame_rate": most + 1}, "frame_rate"
        if fewest:
            yield "fewest frames", {"frame_rate": fewest}, ""
            yield "fewer frames", {"frame_rate": fewest - 1}, "frame_rate"


_TRIED: Final = {
    _bytes: {"bytes_max", "gif_bytes_max", "bytes_min"},
    _shapes: {"pixels_max", "side", "width_max", "ratio"},
    _lengths: {"duration_ms"},
    _codings: {"video_codecs", "audio_codecs", "frame_rate"},
    _kinds_of_files: {"content_types"},
}


def _files() -> Iterator[Case]:
    for platform, rules, post_type in _sendable():
        if (platform, post_type) not in FILES:
            continue
        title = {"title": "A title"} if rules.title_needed else {}
        for limits in (_bytes, _shapes, _lengths, _codings):
            for name, file, reason in limits(FILES[platform, post_type]):
                field = "media_storage_path" if reason else None
                yield Case(name, platform, post_type, field, reason, title, file)


@pytest.mark.parametrize("case", list(_files()), ids=str)
def test_files(caller: Caller, case: Case) -> None:
    _ask(caller, case)


def test_no_rule_is_forgotten() -> None:
    """A rule that is new in the table needs its cases here."""
    of_texts = {
        "text_max",
        "text_bytes_max",
        "text_unit",
        "image_text_max",
        "hashtags_max",
        "mentions_max",
        "cashtags_max",
    }
    of_posts = {"post_types", "publishable", "board_needed", "forbidden"}
    of_titles = {"title_types", "title_max", "title_unit", "title_needed"}
    left_out_or_cut = {"alt_text_types", "alt_text_max", "takes_cover"}
    of_companions = {"link_length", "options"}  # tried with the networks that have them
    for_people = {"source"}
    of_addresses = {"pulled"}

    tried = set().union(*_TRIED.values())
    assert set(FileRules._fields) == tried | for_people | of_addresses
    assert set(PlatformRules._fields) == (
        of_texts | of_posts | of_titles | left_out_or_cut | of_companions | for_people
    )
