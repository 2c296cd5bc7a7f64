"""A post that its platform shows in other words, or with a file it took from a link, isn't absent."""

from dataclasses import replace
from typing import Any

import pytest

from app.contract.enums import ConnectionPlatform as P
from app.contract.enums import PostType
from app.platforms.base import LookBackOutcome
from tests.platforms.scripted import publication
from tests.platforms.test_edited import ABSENT, ORGANIZATION, UNKNOWABLE, facebook, linkedin, look, state, x
from tests.platforms.world import picture

VIDEO = {"media_type": "video", "target": {"url": "https://l.facebook.com/l.php"}}
LINKED = "Watch this https://youtu.be/x"
PHOTO = "https://x.com/u/status/1/photo/1"


def attached(*attachments: dict[str, Any]) -> dict[str, Any]:
    return {"attachments": {"data": attachments}}


@pytest.mark.parametrize("status", ["shared_story", "mobile_status_update"])
def test_on_facebook_the_preview_of_a_link_is_no_file(status: str) -> None:
    preview = attached({**VIDEO, "type": "video_share_youtube"})
    seen = look(
        P.FACEBOOK, publication("5", LINKED), facebook(LINKED, "00:00", status_type=status, **preview)
    )
    assert seen.outcome is LookBackOutcome.FOUND


@pytest.mark.parametrize("more", [attached(VIDEO), {"status_type": "added_video"}])
def test_on_facebook_a_file_rules_out_no_text_with_a_link(more: dict[str, Any]) -> None:
    assert look(P.FACEBOOK, publication("5", LINKED), facebook(LINKED, "00:00", **more)) == UNKNOWABLE
    assert look(P.FACEBOOK, publication("5", "Hi"), facebook("Hi", "00:00", **more)) == ABSENT


def with_photo_of(post: str) -> dict[str, Any]:
    link = {"url": "https://t.co/a", "expanded_url": f"https://x.com/u/status/{post}/photo/1"}
    return {
        "entities": {"urls": [{**link, "media_key": "3_1"}]},
        "attachments": {"media_keys": ["3_1"]},
    }


def test_on_x_a_link_to_a_file_of_another_post_is_text() -> None:
    text = publication("7", f"See {PHOTO}")
    shown = x("See https://t.co/a", **with_photo_of("1"))
    assert look(P.X, text, shown).outcome is LookBackOutcome.FOUND
    image = replace(publication("7", "See"), post_type=PostType.IMAGE, media=picture())
    assert look(P.X, image, shown) == ABSENT
    own = x("See https://t.co/a", **with_photo_of("2"))
    assert look(P.X, image, own).outcome is LookBackOutcome.FOUND
    assert look(P.X, publication("7", "See"), own) == ABSENT


def test_on_x_a_link_may_be_written_otherwise() -> None:
    shown = {"url": "https://t.co/a", "expanded_url": "https://twitter.com/u/status/1"}
    answer = x("See https://t.co/a", entities={"urls": [shown]})
    assert look(P.X, publication("7", "See https://x.com/u/status/1"), answer) == UNKNOWABLE


@pytest.mark.parametrize(
    ("written", "commentary"),
    [("Hi #DataOps", r"Hi {hashtag|\#|DataOps}"), ("a-b_c!", r"a\-b\_c\!"), (r"a\b", r"a\\b")],
)
def test_on_linkedin_hashtags_and_escapes_are_read(written: str, commentary: str) -> None:
    answer = linkedin(commentary, lifecycleStateInfo=state(is_edited=False))
    assert look(P.LINKEDIN, publication(ORGANIZATION, written), answer).outcome is LookBackOutcome.FOUND


def test_on_facebook_mentions_become_names() -> None:
    post = publication("5", "Thanks @[123456]")
    assert look(P.FACEBOOK, post, facebook("Thanks Some Page", "00:00")) == UNKNOWABLE
    assert look(P.FACEBOOK, post, facebook("Hello Some Page", "00:00")) == ABSENT
