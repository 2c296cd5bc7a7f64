"""Importing files from URLs."""

from urllib.parse import urlsplit

from tests.conformance.addresses import PRIVATE
from tests.conformance.document import rows
from tests.conformance.files import mp4, png
from tests.conformance.outcome import NotTriedError, expect, same
from tests.conformance.receiver import Reply
from tests.conformance.register import rule
from tests.conformance.shapes import check_shape
from tests.conformance.stage import Stage

MEDIA = "Media"
IMPORT = "Media import result"


@rule("Errors", "Key lacks scope, quota exhausted")
def an_import_beyond_the_quota_is_forbidden(stage: Stage) -> None:
    small = stage.client("quota")
    video = Reply(headers={"Content-Type": "video/mp4"}, content=mp4())
    url = stage.inbox(video, name="grey.mp4").url
    with stage.shared.holding("quota"):
        storage = small.get("/usage").given()["storage"]
        if storage["cap_bytes"] - storage["used_bytes"] >= 2 * len(mp4()):
            raise NotTriedError("needs a --quota-key-file of an account with less than 80 kB of storage left")
        stored = stage.upload(mp4(), "video/mp4", "grey.mp4", "quota")
        small.post("/media/attach-from-url", {"url": url}).refused("forbidden")
        small.delete(f"/media/{stored}").given()


@rule(
    IMPORT,
    *rows(IMPORT),
    "True when stored",
    "Path to use as media_storage_path",
    "Detected MIME type",
    "Stored size",
    also={MEDIA: ["The service downloads the file server-side", "Returns the media import result"]},
)
def an_import_downloads_the_file_and_stores_it(stage: Stage) -> None:
    url, content = source(stage)
    result = stage.api.post("/media/attach-from-url", {"url": url}).given()
    check_shape(IMPORT, result)
    same(result["success"], True, "success")
    view = stage.api.get(f"/media/{result['storage_path']}").given()
    stored = stage.fetch(view["view_url"]).content
    same(len(stored), result["size_bytes"], "size_bytes")
    expect(
        result["content_type"].startswith(("image/", "video/")), f"content_type is {result['content_type']}"
    )
    if content is not None:
        same((stored, result["content_type"]), (content, "image/png"), "the stored file and its type")
    stage.api.delete(f"/media/{result['storage_path']}").given()


def source(stage: Stage) -> tuple[str, bytes | None]:
    """Return the URL of an image that the service can download, with its bytes if known."""
    if stage.target.public_media_url:
        return stage.target.public_media_url, None
    reply = Reply(headers={"Content-Type": "image/png"}, content=png())
    return stage.inbox(reply, name="grey.png").url, png()


@rule(MEDIA, "Body {url (required, public url), filename (optional, 1 to 255 chars; inferred")
def an_import_needs_a_url_and_takes_a_name_or_infers_it(stage: Stage) -> None:
    url, _ = source(stage)
    named = stage.api.post("/media/attach-from-url", {"url": url, "filename": "chosen.png"}).given()
    expect(
        "chosen" in named["storage_path"], f"the path {named['storage_path']} does not show the chosen name"
    )
    inferred = stage.api.post("/media/attach-from-url", {"url": url}).given()
    stem = urlsplit(url).path.rpartition("/")[2].partition(".")[0]
    expect(
        stem in inferred["storage_path"], f"the path {inferred['storage_path']} does not show the name {stem}"
    )
    for path in (named["storage_path"], inferred["storage_path"]):
        stage.api.delete(f"/media/{path}").given()
    for wrong in ("", "n" * 256, 7):
        stage.api.post("/media/attach-from-url", {"url": url, "filename": wrong}).names("filename")
    for body in ({}, {"url": None}, {"url": "no address"}, {"url": 7}, {"url": "file:///etc/passwd"}):
        stage.api.post("/media/attach-from-url", body).names("url")


@rule(MEDIA, "Private address ranges are blocked")
def imports_from_private_addresses_are_blocked(stage: Stage) -> None:
    strict = stage.client("strict")
    for url in PRIVATE:
        strict.post("/media/attach-from-url", {"url": url}).refused("validation_error")


@rule(MEDIA, "only image and video content types are accepted")
def imports_of_other_types_are_refused(stage: Stage) -> None:
    video = Reply(headers={"Content-Type": "video/mp4"}, content=mp4())
    inbox = stage.inbox(video, name="grey.mp4")
    result = stage.api.post("/media/attach-from-url", {"url": inbox.url}).given()
    same(result["content_type"], "video/mp4", "content_type")
    stage.api.delete(f"/media/{result['storage_path']}").given()
    page = Reply(headers={"Content-Type": "text/html"}, content=b"<!doctype html><p>Hello")
    inbox = stage.inbox(page, name="page.html")
    stage.api.post("/media/attach-from-url", {"url": inbox.url}).refused("validation_error")
