"""What is refused before anything is stored, and how a person is told."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.contract.enums import PostingPlatform as P
from app.contract.enums import PostType as T
from app.platforms.cards import name_of
from app.platforms.rules import RULES, RuleIssue, check, length_of

_KNOWN = [platform for platform in P.__members__.values() if platform.is_known]


def issues(platform: P, text: str | None, post_type: T = T.TEXT, **more: object) -> list[RuleIssue]:
    arguments: dict[str, object] = {"title": None, **more}
    return check(platform=platform, post_type=post_type, text=text, **arguments)  # type: ignore[arg-type]


def messages(platform: P, text: str | None, post_type: T = T.TEXT, **more: object) -> list[str]:
    return [issue.message for issue in issues(platform, text, post_type, **more)]


def test_every_platform_has_rules() -> None:
    assert set(RULES) >= set(_KNOWN)


@pytest.mark.parametrize("platform", [P.LINKEDIN, P.X])
def test_a_text_passes(platform: P) -> None:
    assert issues(platform, "Good morning, https://example.com") == []


def test_a_text_that_is_too_long_for_x() -> None:
    assert issues(P.X, "a" * 296) == [
        RuleIssue("description", "16 characters too long for X (limit 280).", "too_long")
    ]


@pytest.mark.parametrize(
    ("platform", "text", "length"),
    [
        (P.LINKEDIN, "😀é\u0301", 3),
        (P.TIKTOK, "😀é", 3),
        (P.YOUTUBE, "😀é日a", 10),
        (P.FACEBOOK, "👩‍💻", 3),
        (P("bluesky"), "👩\u200d💻e\u0301", 2),
    ],
)
def test_each_platform_counts_its_own_way(platform: P, text: str, length: int) -> None:
    assert length_of(platform, text, T.TEXT).used == length


@given(st.text(st.characters(codec="utf-8")))
def test_bytes_and_units_are_those_of_the_encodings(text: str) -> None:
    assert length_of(P.YOUTUBE, text, T.TEXT).used == len(text.encode())
    assert length_of(P.TIKTOK, text, T.TEXT).used * 2 == len(text.encode("utf-16-le"))


def test_a_lone_surrogate_is_counted_and_not_a_crash() -> None:
    assert [length_of(platform, "\ud83d", T.TEXT).used > 0 for platform in _KNOWN] == [True] * len(_KNOWN)


def test_bytes_are_called_bytes() -> None:
    assert "1 byte too long for YouTube (limit 5,000)." in messages(P.YOUTUBE, "é" * 2500 + "a", T.VIDEO)


@pytest.mark.parametrize(("post_type", "fits"), [(T.IMAGE, True), (T.VIDEO, False)])
def test_tiktok_allows_longer_texts_with_images(post_type: T, fits: bool) -> None:
    types = [issue.type for issue in issues(P.TIKTOK, "a" * 3000, post_type)]
    assert ("too_long" not in types) is fits


@pytest.mark.parametrize("text", [None, "", " \n"])
@pytest.mark.parametrize("platform", [P.LINKEDIN, P.X])
def test_a_text_post_needs_a_text(platform: P, text: str | None) -> None:
    assert [(issue.field, issue.type) for issue in issues(platform, text)] == [
        ("description", "required_by_post_type")
    ]


def test_a_text_post_has_no_file() -> None:
    found = issues(P.X, "Hello", has_media=True)
    assert [(issue.field, issue.type) for issue in found] == [("media_storage_path", "unsupported")]


@pytest.mark.parametrize("platform", [P.TIKTOK, P.PINTEREST, P.INSTAGRAM, P.YOUTUBE])
def test_platforms_without_text_posts_say_so(platform: P) -> None:
    found = issues(platform, "Hello")[0]
    assert (found.field, found.message) == (
        "post_type",
        f"{name_of(platform)} needs an image or video.",
    )


def test_what_a_platform_fetches_is_refused_where_it_cannot_be_fetched() -> None:
    (issue,) = issues(P.TIKTOK, "a", T.IMAGE, has_media=True, unreachable={T.IMAGE})
    assert (issue.field, issue.type) == ("post_type", "no_public_address")
    assert issue.message.startswith(
        "TikTok downloads images from a public address, which this service doesn't have."
    )
    assert "public_origin under [media]" in issue.message

    assert issues(P.TIKTOK, "a", T.VIDEO, has_media=True, unreachable={T.IMAGE}) == []
    assert issues(P.TIKTOK, "a", T.IMAGE, has_media=True) == []


def test_only_what_is_taken_can_be_publishable() -> None:
    assert all(rules.publishable <= rules.post_types for rules in RULES.values())


def test_a_pin_needs_a_board_and_an_image() -> None:
    fields = {issue.field for issue in issues(P.PINTEREST, "a", T.IMAGE)}
    assert {"pinterest_board_id", "media_storage_path"} <= fields
    complete = issues(P.PINTEREST, "a", T.IMAGE, board_id="1", has_media=True)
    assert complete == []


def test_youtube_takes_the_first_line_for_a_title_but_needs_one_of_both() -> None:
    assert "YouTube needs a title." in messages(P.YOUTUBE, "  ", T.VIDEO)
    assert "YouTube needs a title." not in messages(P.YOUTUBE, "My video", T.VIDEO)


def test_titles_have_their_own_limit_where_they_are_sent() -> None:
    expected = "The title is 1 character too long for Pinterest (limit 100)."
    assert expected in messages(P.PINTEREST, "a", T.IMAGE, title="a" * 101)
    assert messages(P.X, "a", title="a" * 500) == []
    expected = "The title is 2 characters too long for TikTok (limit 90)."
    assert expected in messages(P.TIKTOK, "a", T.IMAGE, title="🧶" * 46)
    assert expected not in messages(P.TIKTOK, "a", T.IMAGE, title="🧶" * 45)


def test_forbidden_characters_are_named() -> None:
    expected = "YouTube doesn't allow < or > here."
    assert expected in messages(P.YOUTUBE, "<b>", T.VIDEO)
    assert expected in messages(P.YOUTUBE, "b", T.VIDEO, title="<b>")
    assert messages(P.X, "a\ufeff") == ["X doesn't allow U+FEFF here."]


def test_tags_and_mentions_are_limited() -> None:
    assert "Instagram allows 30 hashtags; this post has 31." in messages(P.INSTAGRAM, "#tag " * 31, T.IMAGE)
    assert "Instagram allows 20 mentions; this post has 21." in messages(P.INSTAGRAM, "@me " * 21, T.IMAGE)
    assert messages(P.X, "$ABC $DEF") == ["X allows 1 cashtag; this post has 2."]


@given(st.sampled_from(_KNOWN), st.sampled_from([T.TEXT, T.IMAGE, T.VIDEO]), st.text(), st.text())
def test_nothing_makes_it_fail(platform: P, post_type: T, title: str, text: str) -> None:
    for issue in issues(platform, text, post_type, title=title):
        assert issue.message.endswith(".")
        assert issue.field in {
            "post_type",
            "description",
            "title",
            "media_storage_path",
            "pinterest_board_id",
        }


def test_an_unknown_platform_is_left_to_the_service() -> None:
    assert issues(P("peertube"), "a" * 100_000) == []


def test_the_rules_load_no_network_library() -> None:
    program = (
        "import sys, app.platforms.rules; "
        "print([name for name in ('httpx', 'aiohttp', 'ssl', 'asyncio') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
