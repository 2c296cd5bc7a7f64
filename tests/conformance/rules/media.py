"""Storing files: upload URLs, imports, viewing and deleting."""

from urllib.parse import urlsplit
from uuid import uuid4

from tests.conformance.document import rows
from tests.conformance.files import mp4, png
from tests.conformance.outcome import NotTriedError, expect, same
from tests.conformance.receiver import Reply
from tests.conformance.register import rule
from tests.conformance.shapes import check_shape
from tests.conformance.stage import Fields, Stage

MEDIA = "Media"
UPLOAD = "Media upload URL result"
IMPORT = "Media import result"
VIEW = "Media view result"
DELETED = "Media delete result"

PRIVATE = (
    "https://127.0.0.1/grey.png",
    "https://localhost/grey.png",
    "https://10.0.0.1/grey.png",
    "https://172.16.0.1/grey.png",
    "https://192.168.0.1/grey.png",
    "https://169.254.169.254/latest/meta-data",
    "https://[::1]/grey.png",
    "https://[fd00::1]/grey.png",
    "https://2130706433/grey.png",
    "https://0x7f.1/grey.png",
    "https://[::ffff:10.0.0.1]/grey.png",
)
"""Addresses that are not public, in several spellings."""


def asked(**changes: object) -> Fields:
    """A good body for an upload URL, but for the changes."""
    return {"filename": "grey.png", "content_type": "image/png", "size_bytes": len(png()), **changes}


def principal_of(stage: Stage, key: str = "main") -> str:
    """The principal id, as storage paths carry it."""
    given = stage.client(key).post("/media/upload-url", asked()).given()
    principal: str = given["storage_path"].partition("/")[0]
    return principal


@rule(UPLOAD, *rows(UPLOAD), also={MEDIA: ["Returns the upload URL result"]})
def asking_for_an_upload_url_gives_the_fields_of_its_table(stage: Stage) -> None:
    check_shape(UPLOAD, stage.api.post("/media/upload-url", asked()).given())


@rule(
    UPLOAD,
    "Signed upload URL.",
    "Path to use as media_storage_path",
    "Upload token bound to the signed URL",
    also={MEDIA: ["The client then PUTs the file bytes to upload_url"]},
)
def bytes_put_to_the_signed_url_are_stored_under_the_path(stage: Stage) -> None:
    given = stage.api.post("/media/upload-url", asked()).given()
    expect(given["token"], "the upload token is empty")
    answer = stage.put(given["upload_url"], png(), "image/png")
    expect(answer.is_success, f"PUT to the upload_url answers {answer.status_code}: {answer.text[:200]}")
    view = stage.api.get(f"/media/{given['storage_path']}").given()
    same(stage.fetch(view["view_url"]).content, png(), "the stored file")
    stage.api.delete(f"/media/{given['storage_path']}").given()


@rule(UPLOAD, "Signed upload URL.", "Upload token bound to the signed URL")
def an_upload_url_that_was_tampered_with_stores_nothing(stage: Stage) -> None:
    given = stage.api.post("/media/upload-url", asked()).given()
    other = stage.api.post("/media/upload-url", asked()).given()
    expect(given["token"] != other["token"], "two upload URLs share a token")
    expect(given["upload_url"] != other["upload_url"], "two upload URLs are the same")
    url = given["upload_url"]
    token = given["token"]
    broken = url.replace(token, token[:-4] + "AAAA") if token in url else url[:-4] + "AAAA"
    refused = stage.put(broken, png(), "image/png")
    expect(refused.status_code >= 400, f"a PUT with a broken signature answers {refused.status_code}")


@rule(
    UPLOAD,
    "format {principal_id}/filename",
    also={MEDIA: ["Storage paths are account-scoped", "{storage_path} is {principal_id}/filename"]},
)
def every_path_starts_with_the_principal(stage: Stage) -> None:
    mine, theirs = principal_of(stage), principal_of(stage, "other")
    expect(mine != theirs, "two accounts share a principal id")
    for name in ("grey.png", "../../etc/passwd.png", "a/b.png", "grün ☃.png"):
        path = stage.api.post("/media/upload-url", asked(filename=name)).given()["storage_path"]
        principal, _, filename = path.partition("/")
        same(principal, mine, f"the principal of the path for {name!r}")
        expect(filename and "/" not in filename, f"the path for {name!r} is {path!r}")


@rule(UPLOAD, "Signed URL lifetime, 7200", also={"Limits": ["Upload URL lifetime · 7200 seconds"]})
def an_upload_url_lives_for_7200_seconds(stage: Stage) -> None:
    given = stage.api.post("/media/upload-url", asked()).given()
    same(given["expires_in_seconds"], 7200, "expires_in_seconds")


@rule(
    MEDIA,
    "Body {filename (1 to 255 chars), content_type (MIME), size_bytes (positive integer)}, all required",
    also={"Limits": ["filename · 1 to 255 characters"]},
)
def an_upload_needs_a_name_a_type_and_a_size(stage: Stage) -> None:
    path = "/media/upload-url"
    for name in ("filename", "content_type", "size_bytes"):
        stage.api.post(path, {key: value for key, value in asked().items() if key != name}).names(name)
        stage.api.post(path, asked(**{name: None})).names(name)
    for length in (1, 255):
        stage.api.post(path, asked(filename="n" * length)).given()
    for wrong in ("", "n" * 256, 7):
        stage.api.post(path, asked(filename=wrong)).names("filename")
    for size in (0, -1, "7", 1.5):
        stage.api.post(path, asked(size_bytes=size)).names("size_bytes")
    for kind in ("", "picture", 7):
        stage.api.post(path, asked(content_type=kind)).names("content_type")
    stage.api.post(path, asked(size_bytes=1)).given()


@rule(
    MEDIA,
    "403 when the storage quota would be exceeded",
    also={
        "Errors": ["Key lacks scope, quota exhausted"],
        "Authentication": ["A 403 forbidden means the key lacks the scope, quota is exhausted"],
        "Limits": ["Capped per plan (cap_bytes in usage)"],
    },
)
def an_upload_beyond_the_quota_is_forbidden(stage: Stage) -> None:
    small = stage.client("quota")
    with stage.shared.holding("quota"):
        storage = small.get("/usage").given()["storage"]
        left = storage["cap_bytes"] - storage["used_bytes"]
        if left > 100_000:
            raise NotTriedError(
                "needs a --quota-key-file of an account with less than 100 kB of storage left"
            )
        small.post("/media/upload-url", asked(size_bytes=left + 1)).refused("forbidden")
        stored = stage.upload(png(), "image/png", "grey.png", "quota")
        small.delete(f"/media/{stored}").given()


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


@rule("Limits", "content type and size validated against plan limits")
def what_is_neither_picture_nor_video_or_too_large_is_refused(stage: Stage) -> None:
    for kind in ("text/html", "application/pdf", "application/x-msdownload"):
        stage.api.post("/media/upload-url", asked(content_type=kind)).refused("validation_error")
    huge = stage.api.post("/media/upload-url", asked(size_bytes=2**60))
    expect(huge.status in {400, 403}, f"a file of 2^60 bytes is answered with {huge.status}")


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
    """A picture that the service may download, with its bytes where they are known."""
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


@rule(
    VIEW,
    *rows(VIEW),
    "Signed view URL",
    "Lifetime of the URL",
    also={MEDIA: ["Returns the media view result"]},
)
def viewing_gives_a_signed_url_for_the_file(stage: Stage) -> None:
    path = stage.picture()
    result = stage.api.get(f"/media/{path}", expires_in_seconds=60).given()
    check_shape(VIEW, result)
    same(result["expires_in_seconds"], 60, "expires_in_seconds")
    seen = stage.fetch(result["view_url"])
    same((seen.status_code, seen.content), (200, png()), "what the view_url gives")
    same(seen.headers["content-type"].partition(";")[0], "image/png", "its type")


@rule(VIEW, "Lifetime of the URL", "Signed view URL")
def a_view_url_ends_and_cannot_be_made_longer(stage: Stage) -> None:
    path = stage.picture()
    url = stage.api.get(f"/media/{path}", expires_in_seconds=1).given()["view_url"]
    stage.wait_for(
        "a view URL of one second to end", lambda: stage.fetch(url).status_code, lambda now: now >= 400
    )
    good = stage.api.get(f"/media/{path}").given()["view_url"]
    broken = good[:-4] + ("AAAA" if not good.endswith("AAAA") else "BBBB")
    expect(stage.fetch(broken).status_code >= 400, "a view URL with a broken signature is served")


@rule(MEDIA, "Query expires_in_seconds (1 to 3600", also={"Limits": ["View URL expires_in_seconds"]})
def a_view_url_lives_for_1_to_3600_seconds_and_300_by_default(stage: Stage) -> None:
    path = f"/media/{stage.picture()}"
    same(stage.api.get(path).given()["expires_in_seconds"], 300, "expires_in_seconds by default")
    for seconds in (1, 3600):
        given = stage.api.get(path, expires_in_seconds=seconds).given()
        same(given["expires_in_seconds"], seconds, "expires_in_seconds")
    for wrong in ("0", "3601", "-1", "x"):
        stage.api.get(path, expires_in_seconds=wrong).names("expires_in_seconds")


@rule(
    MEDIA,
    "A path outside the account gives 403",
    also={
        "Authentication": ["Resources of other accounts are reported as 404"],
        "Errors": ["Key lacks scope, quota exhausted"],
    },
)
def paths_outside_of_the_account_are_forbidden(stage: Stage) -> None:
    path, other = stage.picture(), stage.client("other")
    for foreign in (path, f"{path.partition('/')[0]}/nothing.png"):
        other.get(f"/media/{foreign}").refused("forbidden")
        other.delete(f"/media/{foreign}").refused("forbidden")
    for outside in (f"{uuid4()}/grey.png", f"{uuid4()}/a/b.png"):
        stage.api.get(f"/media/{outside}").refused("forbidden")
        stage.api.delete(f"/media/{outside}").refused("forbidden")
    stage.api.get(f"/media/{path}").given()


@rule(
    DELETED,
    *rows(DELETED),
    "Path acted on",
    also={MEDIA: ["Returns the media delete result", "unreferenced files are removed"]},
)
def a_file_that_no_post_needs_is_removed(stage: Stage) -> None:
    path = stage.picture()
    view = stage.api.get(f"/media/{path}").given()["view_url"]
    result = stage.api.delete(f"/media/{path}").given()
    check_shape(DELETED, result)
    same((result["storage_path"], result["deleted"]), (path, True), "the result")
    expect(stage.fetch(view).status_code >= 400, "the file is still served after it was deleted")
    stage.api.get(f"/media/{path}").refused("not_found")


@rule(
    DELETED,
    "False when a post still references the file",
    also={MEDIA: ["A file still referenced by a scheduled or pending post is kept and deleted is false"]},
)
def a_file_that_a_planned_post_needs_is_kept(stage: Stage) -> None:
    path = stage.picture()
    post = stage.post(stage.text_post(post_type="image", media_storage_path=path))
    kept = stage.api.delete(f"/media/{path}").given()
    same((kept["storage_path"], kept["deleted"]), (path, False), "the result while a post needs the file")
    view = stage.api.get(f"/media/{path}").given()["view_url"]
    same(stage.fetch(view).status_code, 200, "the status of the kept file")
    stage.api.delete(f"/posts/{post['id']}", hard=True).given()


@rule("What the service does", "It stores media (image, video) that posts reference")
def pictures_and_videos_are_stored(stage: Stage) -> None:
    for path, content in ((stage.picture(), png()), (stage.video(), mp4())):
        view = stage.api.get(f"/media/{path}").given()["view_url"]
        same(stage.fetch(view).content, content, "the stored file")
