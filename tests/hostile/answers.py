"""Every endpoint of the specification, with responses from a world. No companion API."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from tests.hostile.wire import Asked, Reply, error, missing
from tests.hostile.world import OWNER, Row, World, instant

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
    "0000000c49444154789c63606060000000040001f61738550000000049454e44ae426082"
)


def answer(asked: Asked) -> Reply:
    """Return the specified response."""
    match asked.path[0] if asked.path else "":
        case "posts":
            return _posts(asked)
        case "connections":
            return _connections(asked)
        case "media":
            return _media(asked)
        case "webhooks":
            return _webhooks(asked)
        case "analytics":
            return _page(asked, asked.world.metrics, "metric_date")
        case "content-history":
            return _page(asked, _of_platform(asked, asked.world.history), "created_at")
        case "usage":
            return Reply(200, asked.world.usage)
    return missing()


def _posts(asked: Asked) -> Reply:
    world = asked.world
    match asked.method, asked.path[1:]:
        case "GET", ():
            found = _of_platform(asked, world.posts)
            wanted = {name: asked.query[name] for name in ("status", "batch_id") if name in asked.query}
            return _page(asked, [one for one in found if wanted.items() <= one.items()], "created_at")
        case "POST", ():
            return _create(world, asked.body)
        case "POST", ("bulk",):
            return _create_many(world, asked.body["posts"])
        case method, (post_id, *rest):
            post = _find(world.posts, post_id)
            if post is None:
                return missing()
            if rest:
                rows = [
                    {k: v for k, v in one.items() if k not in ("id", "platform", "content_id", "created_at")}
                    for one in world.metrics[:3]
                ]
                return Reply(200, {"post_id": post_id, "content_id": "platform-0", "metrics": rows})
            return _one_post(method, asked, post)
    return missing()


def _one_post(method: str, asked: Asked, post: Row) -> Reply:
    if method == "PATCH":
        at = datetime.fromisoformat(asked.body["scheduled_at"])
        if post["status"] not in ("scheduled", "cancelled") or at <= datetime.now(UTC):
            return error(400, "validation_error", "It cannot be moved there.")
        post |= {"scheduled_at": instant(at), "status": "scheduled"}
    if method == "DELETE":
        if asked.query.get("hard") == "true":
            asked.world.posts.remove(post)
            return Reply(200, {"id": post["id"], "action": "deleted", "details": None})
        post["status"] = "cancelled"
        return Reply(200, {"id": post["id"], "action": "cancelled", "details": None})
    return Reply(200, post)


def _create(world: World, body: Row) -> Reply:
    key = body.get("idempotency_key")
    if key in world.keys:
        return Reply(201, _find(world.posts, world.keys[key]))
    if _find(world.connections, body["social_account_id"]) is None:
        return error(400, "validation_error", "There is no such account.")
    at = body.get("scheduled_at") or instant(datetime.now(UTC))
    told = {name: body[name] for name in ("description", "title", "batch_id") if name in body}
    post = world.add_post(body["platform"], "scheduled" if "scheduled_at" in body else "queued", 0)
    post |= {"post_type": body["post_type"], "title": None, "batch_id": None}
    post |= {"scheduled_at": instant(datetime.fromisoformat(at)), "created_at": instant(datetime.now(UTC))}
    post |= {"media_storage_path": body.get("media_storage_path", "")} | told
    if key:
        world.keys[key] = post["id"]
    return Reply(201, post)


def _create_many(world: World, bodies: Sequence[Row]) -> Reply:
    known = set(world.keys)
    answers = [_create(world, body) for body in bodies]
    made = [
        one.body
        for body, one in zip(bodies, answers, strict=True)
        if body.get("idempotency_key") not in known
    ]
    told = {"success": True, "batch_id": world.next("batch"), "total": len(bodies), "inserted": len(made)}
    return Reply(200, told | {"duplicates": len(bodies) - len(made), "rejected": [], "posts": made})


def _connections(asked: Asked) -> Reply:
    world = asked.world
    match asked.method, asked.path[1:]:
        case "GET", ():
            found = _of_platform(asked, world.connections)
            if asked.query.get("include_unavailable") != "true":
                found = [one for one in found if one["is_available"]]
            return _page(asked, found, "created_at")
        case "POST", ("initiate",):
            told = {
                "state": "state-1",
                "expires_at": world.ago(minutes=-15),
                "connection_id": world.next("c"),
            }
            return Reply(201, told | {"connect_url": "https://platform.example/authorize?state=state-1"})
        case method, (connection_id, *rest):
            found_one = _find(world.connections, connection_id)
            if found_one is None:
                return missing()
            match method, rest:
                case "GET", []:
                    return Reply(200, found_one)
                case "POST", ["reauth"]:
                    link = "https://platform.example/authorize?state=state-2"
                    return Reply(200, {"reauth_url": link, "account": found_one})
                case "GET", ["boards"] if found_one["platform"] == "pinterest":
                    return _boards(asked)
                case "GET", ["boards"]:
                    return error(400, "validation_error", "The account is not one of Pinterest.")
    return missing()


def _boards(asked: Asked) -> Reply:
    told = asked.query.get("bookmark") or "0"
    begin = int(told) if told.isdecimal() and len(told) < 9 else 0
    size = min(int(asked.query.get("page_size", "25")), 3)
    following = str(begin + size) if begin + size < len(asked.world.boards) else None
    return Reply(200, {"data": asked.world.boards[begin : begin + size], "bookmark": following})


def _media(asked: Asked) -> Reply:
    world = asked.world
    match asked.method, asked.path[1:]:
        case "POST", ("upload-url",):
            world.serial += 1
            path = f"{OWNER}/{world.serial}-{asked.body['filename']}"
            world.files[path] = None
            told = {"storage_path": path, "token": "token-1", "expires_in_seconds": 7_200}
            return Reply(200, told | {"upload_url": f"{{base}}/files/{path}"})
        case "POST", ("attach-from-url",):
            path = f"{OWNER}/{world.next('import')}.png"
            world.files[path] = PNG
            told = {"success": True, "storage_path": path}
            return Reply(201, told | {"content_type": "image/png", "size_bytes": len(PNG)})
        case method, parts:
            path = "/".join(parts)
            if path not in world.files:
                return missing()
            if method == "DELETE":
                return _delete_file(world, path)
            seconds = int(asked.query.get("expires_in_seconds", "300"))
            return Reply(200, {"view_url": f"{{base}}/files/{path}", "expires_in_seconds": seconds})


def _delete_file(world: World, path: str) -> Reply:
    needed = any(post["media_storage_path"] == path for post in world.posts)
    if not needed:
        del world.files[path]
    return Reply(200, {"storage_path": path, "deleted": not needed})


def _webhooks(asked: Asked) -> Reply:
    world = asked.world
    match asked.method, asked.path[1:]:
        case "GET", ():
            return Reply(200, {"data": world.webhooks, "next_cursor": None})
        case "POST", ():
            made: Row = {
                "id": world.next("webhook"),
                "active": True,
                "failure_count": 0,
                "last_delivery_at": None,
            }
            made |= {"last_disabled_at": None, "created_at": world.ago(), "updated_at": world.ago()}
            world.webhooks.insert(0, made | {name: asked.body[name] for name in ("url", "events")})
            world.deliveries[made["id"]] = []
            return Reply(201, world.webhooks[0] | {"secret": "whsec_1234567890abcdef"})
        case method, (webhook_id, *rest):
            found = _find(world.webhooks, webhook_id)
            return _one_webhook(method, asked, found, rest) if found else missing()
    return missing()


def _one_webhook(method: str, asked: Asked, webhook: Row, rest: list[str]) -> Reply:
    world, log = asked.world, asked.world.deliveries[webhook["id"]]
    match method, rest:
        case "PATCH", []:
            webhook |= asked.body
            if asked.body.get("active"):
                webhook |= {"failure_count": 0, "last_disabled_at": None}
        case "DELETE", []:
            world.webhooks.remove(webhook)
            return Reply(200, {"id": webhook["id"], "deleted": True})
        case "POST", ["test"]:
            told = {"delivery_id": world.next("delivery"), "subscription_id": webhook["id"]}
            told |= {"status_code": 200, "latency_ms": 41, "delivered_at": world.ago(), "error_message": None}
            return Reply(200, told)
        case "GET", ["deliveries"]:
            return _page(asked, log, "created_at")
        case "POST", ["deliveries", delivery_id, "replay"]:
            if not webhook["active"]:
                return error(403, "forbidden", "The subscription is not active.")
            one = _find(log, delivery_id) or log[0]
            told = {"subscription_id": webhook["id"], "original_delivery_id": one["id"]}
            return Reply(202, told | {"event_type": one["event_type"], "message": "A new delivery appears."})
    return Reply(200, webhook)


def _find(rows: Sequence[Row], row_id: str) -> Row | None:
    return next((one for one in rows if str(one["id"]).lower() == row_id.lower()), None)


def _of_platform(asked: Asked, rows: Sequence[Row]) -> list[Row]:
    wanted = asked.query.get("platform")
    return [one for one in rows if wanted in (None, one["platform"])]


def _page(asked: Asked, rows: Sequence[Row], by: str) -> Reply:
    """Return a page, newest first. The cursor contains the position of its last row."""

    def place(row: Row) -> list[str]:
        return [str(row[by]), str(row["id"])]

    ordered = sorted(rows, key=place, reverse=True)
    if (cursor := asked.query.get("cursor")) is not None:
        after = _decoded(cursor)
        if after is None:
            return error(400, "validation_error", "The cursor is not known.")
        ordered = [one for one in ordered if place(one) < after]
    most = min(int(asked.query.get("limit", "20")), asked.world.page)
    page = ordered[:most]
    return Reply(
        200, {"data": page, "next_cursor": _encoded(place(page[-1])) if len(ordered) > most else None}
    )


def _encoded(place: list[str]) -> str:
    return urlsafe_b64encode(json.dumps(place).encode()).decode()


def _decoded(cursor: str) -> Any:
    """Return the position in a cursor; None if it isn't one of ours."""
    try:
        return json.loads(urlsafe_b64decode(cursor))
    except ValueError:
        return None
