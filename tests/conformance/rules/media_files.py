"""Viewing and deleting stored files."""

from uuid import uuid4

from tests.conformance.document import rows
from tests.conformance.files import mp4, png
from tests.conformance.outcome import expect, same
from tests.conformance.register import rule
from tests.conformance.shapes import check_shape
from tests.conformance.stage import Stage

MEDIA = "Media"
VIEW = "Media view result"
DELETED = "Media delete result"


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
