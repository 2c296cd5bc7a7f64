"""Uploading files, and the storage quota."""

from tests.conformance.document import rows
from tests.conformance.files import asked, png
from tests.conformance.outcome import NotTriedError, expect, same
from tests.conformance.register import rule
from tests.conformance.shapes import check_shape
from tests.conformance.stage import Stage

MEDIA = "Media"
UPLOAD = "Media upload URL result"


def principal_of(stage: Stage, key: str = "main") -> str:
    """Return the principal ID in storage paths."""
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


@rule("Limits", "content type and size validated against plan limits")
def what_is_neither_picture_nor_video_or_too_large_is_refused(stage: Stage) -> None:
    for kind in ("text/html", "application/pdf", "application/x-msdownload"):
        stage.api.post("/media/upload-url", asked(content_type=kind)).refused("validation_error")
    huge = stage.api.post("/media/upload-url", asked(size_bytes=2**60))
    expect(huge.status in {400, 403}, f"a file of 2^60 bytes is answered with {huge.status}")
