"""This project's decisions about posts, connections and media, where the specification is silent."""

import re
import secrets
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

from tests.conformance.files import asked, mp4
from tests.conformance.outcome import expect, same
from tests.conformance.register import decision
from tests.conformance.stage import Fields, Stage, in_future, person


def moving(stage: Stage, post: Fields) -> None:
    """Require that moving this post is rejected with a reason. Raises BrokenError."""
    stage.api.patch(f"/posts/{post['id']}", {"scheduled_at": in_future()}).names("scheduled_at")


@decision("P1")
def an_immediate_post_is_queued_with_the_time_of_acceptance(stage: Stage) -> None:
    created = stage.post(stage.text_post(scheduled_at=None))
    same((created["status"], created["scheduled_at"]), ("queued", created["created_at"]), "the created post")


@decision("P3")
def a_failed_post_cannot_be_moved(stage: Stage) -> None:
    moving(stage, stage.failed())


@decision("P4")
def a_published_post_can_never_be_moved(stage: Stage) -> None:
    post = stage.published()
    moving(stage, post)
    stage.api.delete(f"/posts/{post['id']}").given()
    moving(stage, post)


def in_flight(stage: Stage) -> tuple[Fields, Fields]:
    """Return an account and its post, with a slow publishing call in progress."""
    account = stage.fresh_connection()
    stage.practice.fault(account["platform"], "publish", "slow", account["account_identifier"])
    created = stage.post(stage.text_post(account, scheduled_at=None))
    post = stage.wait_for(
        "a post to be processing",
        lambda: stage.api.get(f"/posts/{created['id']}").given(),
        lambda now: now["status"] not in {"scheduled", "queued"},
    )
    same(post["status"], "processing", "the status while the platform is called")
    return account, post


@decision("P2")
def a_post_is_processing_while_an_attempt_runs(stage: Stage) -> None:
    _, post = in_flight(stage)
    stage.ended(post["id"], "posted")


@decision("P5")
def truth_wins_over_a_soft_delete_while_publishing(stage: Stage) -> None:
    account, post = in_flight(stage)
    same(stage.api.delete(f"/posts/{post['id']}").given()["action"], "cancelled", "the action")
    stage.wait_for(
        "a post that went out to be posted",
        lambda: stage.api.get(f"/posts/{post['id']}").given(),
        lambda now: now["status"] == "posted" and now["posted_at"],
    )
    same(len(stage.practice.published(account["account_identifier"])), 1, "the number of publications")


@decision("P6")
def what_a_hard_deleted_attempt_published_is_in_the_history(stage: Stage) -> None:
    _, post = in_flight(stage)
    stage.api.delete(f"/posts/{post['id']}", hard=True).given()
    stage.wait_for(
        "a record of what was published",
        lambda: stage.api.get("/content-history", limit=100).given()["data"],
        lambda listed: [one for one in listed if one["description"] == post["description"]],
    )
    stage.api.get(f"/posts/{post['id']}").refused("not_found")


@decision("P7")
def deleting_one_of_a_batch_says_how_many_remain(stage: Stage) -> None:
    batch_id = str(uuid4())
    first, _ = (stage.planned(batch_id=batch_id) for _ in range(2))
    result = stage.api.delete(f"/posts/{first['id']}").given()
    same(result["details"], {"batch_id": batch_id, "remaining": 1}, "details")
    alone = stage.api.delete(f"/posts/{stage.planned()['id']}").given()
    same(alone["details"], None, "details of a single post")


@decision("P8")
def a_replayed_create_answers_200_with_a_header_and_other_content_is_refused(stage: Stage) -> None:
    body = stage.text_post(idempotency_key=secrets.token_hex(8))
    first = stage.post(body)
    again = stage.api.post("/posts", body)
    same((again.status, again.given()["id"]), (200, first["id"]), "the repeated call")
    same(again.headers.get("Idempotent-Replay"), "true", "Idempotent-Replay")
    stage.api.post("/posts", {**body, "description": "Other"}).names("idempotency_key")
    bulk = stage.api.post("/posts/bulk", {"posts": [{**body, "description": "Other"}]}).given()
    same((bulk["duplicates"], len(bulk["rejected"])), (0, 1), "duplicates and rejected in bulk")


@decision("P9")
def media_of_others_is_forbidden_and_missing_media_names_the_field(stage: Stage) -> None:
    theirs = stage.picture("other")
    body = stage.text_post(post_type="image", media_storage_path=theirs)
    stage.api.post("/posts", body).refused("forbidden")
    never = stage.api.post("/media/upload-url", asked()).given()["storage_path"]
    stage.api.post("/posts", {**body, "media_storage_path": never}).names("media_storage_path")


@decision("P10")
def an_account_of_another_principal_cannot_be_posted_from(stage: Stage) -> None:
    body = stage.text_post(stage.connection())
    stage.client("other").post("/posts", body).refused("not_found")


@decision("P11")
def the_rules_of_platforms_hold_when_a_post_is_created(stage: Stage) -> None:
    account = stage.connection("x")
    stage.post(stage.text_post(account, description="x" * 280))
    stage.api.post("/posts", stage.text_post(account, description="x" * 281)).names("description")


@decision("C1")
def a_pending_connection_is_not_found_until_the_flow_completes(stage: Stage) -> None:
    started = stage.api.post("/connections/initiate", {"platform": "linkedin"}).given()
    path = f"/connections/{started['connection_id']}"
    stage.api.get(path).refused("not_found")
    listed = stage.api.get("/connections", include_unavailable=True, limit=100).text
    expect(started["connection_id"] not in listed, "a pending connection is listed")
    stage.practice.consent(started["connect_url"], person())
    stage.api.get(path).given()


@decision("C1")
def connecting_the_same_account_again_refreshes_its_row(stage: Stage) -> None:
    name = person()
    first, second = (stage.api.post("/connections/initiate", {"platform": "x"}).given() for _ in range(2))
    stage.practice.consent(first["connect_url"], name)
    stage.practice.consent(second["connect_url"], name)
    stage.api.get(f"/connections/{first['connection_id']}").given()
    stage.api.get(f"/connections/{second['connection_id']}").refused("not_found")


@decision("C2")
def the_redirect_tells_the_connection_and_how_it_went(stage: Stage) -> None:
    for press, status in (("allow", "connected"), ("deny", "denied")):
        body = {"platform": "linkedin", "redirect_url": "https://app.example/done?from=here"}
        started = stage.api.post("/connections/initiate", body).given()
        end = stage.practice.consent(started["connect_url"], person(), press)
        query = {name: values[-1] for name, values in parse_qs(urlsplit(end.url).query).items()}
        same((query.get("status"), query.get("from")), (status, "here"), "the query of the redirect")
        if status == "connected":
            same(query.get("connection_id"), started["connection_id"], "connection_id in the redirect")


@decision("C3")
def each_page_that_a_person_chooses_becomes_a_connection(stage: Stage) -> None:
    started = stage.api.post("/connections/initiate", {"platform": "facebook"}).given()
    before = {
        one["id"] for one in stage.api.get("/connections", platform="facebook", limit=100).given()["data"]
    }
    stage.practice.consent(started["connect_url"], person())
    after = {
        one["id"] for one in stage.api.get("/connections", platform="facebook", limit=100).given()["data"]
    }
    expect(len(after - before) > 1, f"{len(after - before)} of several pages were connected")
    expect(started["connection_id"] in after - before, "none of them has the id of the pending connection")


@decision("C4")
def an_available_account_is_not_authorized_again(stage: Stage) -> None:
    stage.api.post(f"/connections/{stage.connection()['id']}/reauth").refused("validation_error")


@decision("C5")
def threads_is_not_connected_by_initiate(stage: Stage) -> None:
    stage.api.post("/connections/initiate", {"platform": "threads"}).names("platform")


@decision("C6")
def a_storage_path_is_the_name_made_safe_with_eight_digits(stage: Stage) -> None:
    for name, stem in (("grey.png", "grey"), ("../e\u0301te\u0301\n.png", None), ("a/b\\c.png", None)):
        path = stage.api.post("/media/upload-url", asked(filename=name)).given()["storage_path"]
        found = re.fullmatch(r"[0-9a-f-]{36}/([A-Za-z0-9._~-]+)-[0-9a-f]{8}\.png", path)
        expect(found, f"the path for {name!r} is {path!r}")
        if found and stem:
            expect(stem in found[1], f"the path for {name!r} is {path!r}")


@decision("C7")
def an_open_upload_reserves_its_size(stage: Stage) -> None:
    small = stage.client("quota")
    with stage.shared.holding("quota"):
        storage = small.get("/usage").given()["storage"]
        left = storage["cap_bytes"] - storage["used_bytes"]
        half = small.post("/media/upload-url", asked(size_bytes=left // 2 + 1)).given()
        small.post("/media/upload-url", asked(size_bytes=left // 2 + 1)).refused("forbidden")
        same(small.get("/usage").given()["storage"]["used_bytes"], storage["used_bytes"], "used_bytes")
        small.delete(f"/media/{half['storage_path']}")


@decision("C8")
def content_that_is_not_what_it_was_declared_to_be_is_refused(stage: Stage) -> None:
    for content in (mp4(), b"<!doctype html>"):
        given = stage.api.post("/media/upload-url", asked(size_bytes=len(content))).given()
        answer = stage.put(given["upload_url"], content, "image/png")
        expect(answer.status_code == 400, f"the wrong content is answered with {answer.status_code}")
        stage.api.get(f"/media/{given['storage_path']}").refused("not_found")
