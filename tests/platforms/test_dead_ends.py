"""What a platform has given up is not asked for again: the next try begins with something new."""

from dataclasses import replace

import httpx
import pytest

from app.contract.enums import ConnectionPlatform, PostType
from app.platforms.base import FailureKind, LookBack, LookBackOutcome, Media, Publication
from tests.platforms.scripted import NOW, Script, Step, json_answer, publication
from tests.platforms.world import picture, video

P = ConnectionPlatform


def with_file(account: str, kind: PostType, file: Media) -> Publication:
    return replace(publication(account, post_type=kind), media=file)


def container(number: str) -> list[httpx.Response]:
    """The answers on the way to a container that is ready, for a picture that is beside the Page."""
    source = {"images": [{"source": "https://scontent.example.com/a.jpg"}]}
    ready = {"status_code": "FINISHED", "status": ""}
    return [json_answer(200, source), json_answer(200, {"id": number}), json_answer(200, ready)]


@pytest.mark.parametrize(("code", "subcode"), [(-1, 2207032), (-1, 2207053), (-2, 2207020), (24, 2207008)])
def test_a_container_that_died_is_replaced(code: int, subcode: int) -> None:
    post = with_file("1", PostType.IMAGE, picture())
    died = {"error": {"message": "Create it again.", "code": code, "error_subcode": subcode}}
    expired = json_answer(200, {"status_code": "EXPIRED", "status": ""})
    first = Script(json_answer(200, {"id": "7"}), *container("8"), json_answer(400, died), expired)

    assert first.fail(P.INSTAGRAM, lambda adapter: adapter.publish(post)).kind is FailureKind.TRANSIENT

    gone, shown = json_answer(200, {"success": True}), json_answer(200, {"id": "5", "permalink": None})
    second = Script(*container("9"), json_answer(200, {"id": "5"}), gone, shown)
    assert second.run(P.INSTAGRAM, lambda adapter: adapter.publish(post)).content_id == "5"
    [published] = [request for request in second.requests if request.url.path.endswith("/media_publish")]
    assert b"creation_id=9" in published.content


@pytest.mark.parametrize("status", ["PUBLISHED", "IN_PROGRESS"])
def test_a_container_that_an_earlier_call_used_is_kept(status: str) -> None:
    post = with_file("1", PostType.IMAGE, picture())
    used = {"error": {"message": "Create it again.", "code": 24, "error_subcode": 2207008}}
    state = {"status_code": status, "status": ""}
    first = Script(
        json_answer(200, {"id": "7"}), *container("8"), json_answer(400, used), json_answer(200, state)
    )
    assert first.fail(P.INSTAGRAM, lambda adapter: adapter.publish(post)).kind is FailureKind.AMBIGUOUS

    item = {"id": "5", "caption": post.text, "timestamp": NOW.isoformat(), "permalink": None}
    second = Script(json_answer(200, {"status_code": "PUBLISHED"}), json_answer(200, {"data": [item]}))
    seen = second.run(P.INSTAGRAM, lambda adapter: adapter.look_back(post, since=NOW, known=()))
    assert seen.outcome is LookBackOutcome.FOUND


@pytest.mark.parametrize(
    "answer",
    [json_answer(500, {}), httpx.ReadTimeout("no response"), json_answer(200, {"status": ""})],
    ids=str,
)
def test_a_container_that_nothing_is_known_of_is_kept(answer: Step) -> None:
    """It may have been used by an earlier call, so another one could publish the post twice."""
    post = with_file("1", PostType.IMAGE, picture())
    used = json_answer(400, {"error": {"message": "Create it again.", "code": 24, "error_subcode": 2207008}})
    first = Script(json_answer(200, {"id": "7"}), *container("8"), used, answer)
    assert first.fail(P.INSTAGRAM, lambda adapter: adapter.publish(post)).kind is FailureKind.AMBIGUOUS

    expired = json_answer(200, {"status_code": "EXPIRED", "status": ""})
    seen = Script(expired).run(P.INSTAGRAM, lambda adapter: adapter.look_back(post, since=NOW, known=()))
    assert seen == LookBack(LookBackOutcome.UNSENT)
    second = Script(used, expired)
    assert second.fail(P.INSTAGRAM, lambda adapter: adapter.publish(post)).kind is FailureKind.TRANSIENT


@pytest.mark.parametrize(
    ("status", "outcome"),
    [("IN_PROGRESS", LookBackOutcome.UNKNOWABLE), ("FINISHED", LookBackOutcome.UNSENT)],
)
def test_a_ready_container_that_is_in_progress_again_is_being_published(
    status: str, outcome: LookBackOutcome
) -> None:
    post = with_file("1", PostType.IMAGE, picture())
    lost = Script(json_answer(200, {"id": "7"}), *container("8"), httpx.ReadTimeout("no response"))
    assert lost.fail(P.INSTAGRAM, lambda adapter: adapter.publish(post)).kind is FailureKind.AMBIGUOUS
    looked = Script(json_answer(200, {"status_code": status}))
    seen = looked.run(P.INSTAGRAM, lambda adapter: adapter.look_back(post, since=NOW, known=()))
    assert seen == LookBack(outcome)


def test_a_container_that_is_only_late_stays() -> None:
    post = with_file("1", PostType.IMAGE, picture())
    late = {"error": {"message": "Wait.", "code": 9007, "error_subcode": 2207027}}
    first = Script(json_answer(200, {"id": "7"}), *container("8"), json_answer(400, late))

    assert first.fail(P.INSTAGRAM, lambda adapter: adapter.publish(post)).kind is FailureKind.TRANSIENT

    gone, shown = json_answer(200, {"success": True}), json_answer(200, {"id": "5", "permalink": None})
    second = Script(json_answer(200, {"id": "5"}), gone, shown)
    assert second.run(P.INSTAGRAM, lambda adapter: adapter.publish(post)).content_id == "5"


OVER = {"code": "EXPIRED_UPLOAD_URL", "message": "Over."}


@pytest.mark.parametrize("over", [(400, OVER), (401, {}), (403, {"message": "Forbidden"})])
def test_linkedins_address_that_ended_is_asked_for_anew(over: tuple[int, dict[str, str]]) -> None:
    post = with_file("urn:li:person:a", PostType.VIDEO, video(100_000))

    def target(name: str) -> httpx.Response:
        part = {"uploadUrl": f"https://api.linkedin.com/{name}", "firstByte": 0, "lastByte": 99_999}
        return json_answer(200, {"value": {"video": f"urn:li:video:{name}", "uploadInstructions": [part]}})

    first = Script(target("old"), json_answer(*over))
    assert first.fail(P.LINKEDIN, lambda adapter: adapter.prepare(post)).kind is FailureKind.TRANSIENT

    sent, finished = httpx.Response(200, headers={"etag": '"a"'}), json_answer(200, {})
    second = Script(
        json_answer(*over), target("new"), sent, finished, json_answer(200, {"status": "AVAILABLE"})
    )
    second.run(P.LINKEDIN, lambda adapter: adapter.prepare(post))
    addresses = [request.url.path for request in second.requests if request.method == "PUT"]
    assert addresses == ["/old", "/new"]
