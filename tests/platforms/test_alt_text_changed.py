"""Alt text that changes after the picture was uploaded arrives with the post."""

from dataclasses import replace

from app.contract.enums import ConnectionPlatform as P
from app.contract.enums import PostType
from app.platforms.base import Publication
from tests.platforms.mastodon.people import post_of
from tests.platforms.scripted import Script, json_answer, publication
from tests.platforms.world import picture

MASTODON = P("mastodon")


def described(post: Publication, alt_text: str | None) -> Publication:
    assert post.media is not None
    return replace(post, media=replace(post.media, alt_text=alt_text))


def test_facebook_gets_the_picture_again_with_the_new_alt_text() -> None:
    post = replace(publication("5", post_type=PostType.IMAGE), media=picture(alt_text="Old words"))
    Script(json_answer(200, {"id": "77"})).run(P.FACEBOOK, lambda adapter: adapter.prepare(post))
    Script().run(P.FACEBOOK, lambda adapter: adapter.prepare(post))
    again = Script(json_answer(200, {"id": "78"}), json_answer(200, {"id": "5_9"}))
    again.run(P.FACEBOOK, lambda adapter: adapter.publish(described(post, "New words")))
    assert b"New words" in again.requests[0].content
    assert b"78" in again.requests[1].content
    removed = Script(json_answer(200, {"id": "79"}))
    removed.run(P.FACEBOOK, lambda adapter: adapter.prepare(described(post, None)))
    assert b"alt_text" not in removed.requests[0].content


def test_mastodon_gets_the_file_again_with_the_new_alt_text() -> None:
    post = post_of(post_type=PostType.IMAGE, media=picture(alt_text="Old words"))
    there = {"url": "https://files.example/a.jpg"}
    Script(json_answer(200, {"id": "4", **there})).run(MASTODON, lambda adapter: adapter.prepare(post))
    Script().run(MASTODON, lambda adapter: adapter.prepare(post))
    again = Script(json_answer(200, {"id": "5", **there}))
    again.run(MASTODON, lambda adapter: adapter.prepare(described(post, "New words")))
    assert b"New words" in again.requests[0].content
