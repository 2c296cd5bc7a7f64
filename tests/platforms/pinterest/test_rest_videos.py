"""Videos on their way to Pinterest, when the store behind it refuses the form that Pinterest filled in."""

from dataclasses import replace

import httpx

from app.contract.enums import ConnectionPlatform as P
from app.contract.enums import PostType
from app.platforms.base import FailureKind, Publication
from tests.platforms.scripted import Script, json_answer, publication
from tests.platforms.world import video

STORE = "https://pinterest-media-upload.s3-accelerate.amazonaws.com/"


def post() -> Publication:
    return replace(publication("1", "Hello", PostType.VIDEO), media=video(400_000), board_id="2")


def registered(media_id: str) -> httpx.Response:
    form = {"key": media_id, "policy": "signed"}
    return json_answer(201, {"media_id": media_id, "upload_url": STORE, "upload_parameters": form})


def test_a_form_that_has_run_out_is_asked_for_again() -> None:
    kept = post()
    refused = Script(registered("11"), httpx.Response(403, text="<Error><Code>AccessDenied</Code></Error>"))
    error = refused.fail(P.PINTEREST, lambda adapter: adapter.prepare(kept))
    assert (error.kind, error.code) == (FailureKind.TRANSIENT, "http_403")

    again = Script(registered("12"), httpx.Response(204), json_answer(200, {"status": "succeeded"}))
    again.run(P.PINTEREST, lambda adapter: adapter.prepare(kept))
    assert [request.url.path for request in again.requests] == ["/v5/media", "/", "/v5/media/12"]
