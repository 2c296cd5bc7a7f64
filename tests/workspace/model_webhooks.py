"""The webhooks of the service in memory."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import httpx

from app.contract.base import format_timestamp
from tests.workspace.model_service import ModelService, _error, _missing

_POST = "b3a9d2c4-17f0-4e6b-8c35-90ad7f21e6c0"
SECRET = "whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0"


@dataclass
class ModelWebhooks:
    """Subscriptions, newest first, and the log of each, newest first."""

    service: ModelService
    webhooks: list[dict[str, Any]] = field(default_factory=list)
    log: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    bodies: dict[str, dict[str, Any]] = field(default_factory=dict)
    bare_list: bool = False
    outcome: dict[str, Any] = field(default_factory=dict)
    """What of a test's result is not as usual."""
    forbids: str = ""
    """Why no delivery is replayed, whatever its webhook; empty where they are."""

    def __post_init__(self) -> None:
        self.service.parts.append(self.answer)

    def add(self, url: str, *events: str, made: timedelta = timedelta(days=9), **more: Any) -> str:
        """Adds a subscription; gives its id."""
        moment = format_timestamp(datetime.now(UTC) - made)
        told = {
            "id": str(uuid4()),
            "url": url,
            "events": list(events or ("post.published",)),
            "active": True,
            "failure_count": 0,
            "last_delivery_at": None,
            "last_disabled_at": None,
            "created_at": moment,
            "updated_at": moment,
        }
        self.webhooks.append(told | more)
        return str(told["id"])

    def deliver(self, webhook: str, event: str = "post.published", ago: float = 60, **more: Any) -> str:
        """Adds a delivery, made so many seconds ago; gives its id."""
        moment = format_timestamp(datetime.now(UTC) - timedelta(seconds=ago))
        ended = "failed_at" if more.get("error_message") or (more.get("status_code") or 200) >= 300 else ""
        told = {
            "id": str(uuid4()),
            "event_type": event,
            "event_id": f"evt_{len(self.bodies):08}",
            "status_code": 200,
            "attempt": 1,
            "latency_ms": 72,
            "delivered_at": None if ended else moment,
            "failed_at": moment if ended else None,
            "error_message": None,
            "created_at": moment,
        }
        told |= more
        self.log.setdefault(webhook, []).append(told)
        self.log[webhook].sort(key=lambda one: str(one["created_at"]), reverse=True)
        self.bodies[str(told["id"])] = self._carried(webhook, told)
        return str(told["id"])

    def answer(self, request: httpx.Request) -> httpx.Response | None:
        body = json.loads(request.content) if request.content else {}
        match request.method, request.url.path.strip("/").split("/"):
            case "GET", ["api", "v1", "webhooks"]:
                data = self.webhooks if self.bare_list else {"data": self.webhooks, "next_cursor": None}
                return httpx.Response(200, json=data)
            case "POST", ["api", "v1", "webhooks"]:
                return self._create(body)
            case method, ["api", "v1", "webhooks", webhook, *rest]:
                found = next((one for one in self.webhooks if one["id"] == webhook), None)
                return self._one(method, found, rest, request, body) if found else _missing()
            case "GET", ["companion", "v1", "deliveries", delivery] if "deliveries" in self.service.offers:
                return httpx.Response(200, json=self.bodies[delivery])
        return None

    def _create(self, body: Mapping[str, Any]) -> httpx.Response:
        if "private" in body["url"]:
            issue = {"field": "url", "message": "cannot be used. It is a private address", "type": "url"}
            return _error(400, "validation_error", "The request is not valid.", [issue])
        self.add(body["url"], *body["events"], made=timedelta())
        self.webhooks.insert(0, self.webhooks.pop())
        return httpx.Response(201, json=self.webhooks[0] | {"secret": SECRET})

    def _one(
        self, method: str, webhook: dict[str, Any], rest: list[str], request: httpx.Request, body: Any
    ) -> httpx.Response:
        match method, rest:
            case "PATCH", []:
                webhook |= body
                if body.get("active"):
                    webhook |= {"failure_count": 0, "last_disabled_at": None}
                return httpx.Response(200, json=webhook)
            case "DELETE", []:
                self.webhooks.remove(webhook)
                return httpx.Response(200, json={"id": webhook["id"], "deleted": True})
            case "POST", ["test"]:
                return self._test(webhook, body.get("event_type", "webhook.test"))
            case "GET", ["deliveries"]:
                log = self.log.get(webhook["id"], [])
                return self.service._page(log, ("created_at", "id"), request, newest_first=True)
            case "POST", ["deliveries", delivery, "replay"]:
                return self._replay(webhook, delivery)
        return _missing()

    def _test(self, webhook: dict[str, Any], event: str) -> httpx.Response:
        failed = {
            name: self.outcome[name] for name in ("status_code", "error_message") if name in self.outcome
        }
        delivery = self.deliver(webhook["id"], event, ago=0, **failed)
        told = self.log[webhook["id"]][0]
        result = {name: told[name] for name in ("status_code", "delivered_at", "error_message")}
        ids = {"delivery_id": delivery, "subscription_id": webhook["id"], "latency_ms": 84}
        return httpx.Response(200, json=result | ids | self.outcome)

    def _replay(self, webhook: dict[str, Any], delivery: str) -> httpx.Response:
        if self.forbids:
            return _error(403, "forbidden", self.forbids)
        if not webhook["active"]:
            return _error(403, "forbidden", "The webhook is switched off.")
        past = next(one for one in self.log[webhook["id"]] if one["id"] == delivery)
        again = {"event_id": past["event_id"], "attempt": past["attempt"] + 1}
        self.deliver(webhook["id"], past["event_type"], ago=0, **again)
        told = {"subscription_id": webhook["id"], "original_delivery_id": delivery}
        words = {"event_type": past["event_type"], "message": "The event is delivered again."}
        return httpx.Response(200, json=told | words)

    def _carried(self, webhook: str, told: dict[str, Any]) -> dict[str, Any]:
        """What the companion tells of a delivery."""
        url = next((one["url"] for one in self.webhooks if one["id"] == webhook), "https://gone.example")
        body = {
            "event_type": told["event_type"],
            "event_id": told["event_id"],
            "delivery_id": told["id"],
            "created_at": told["created_at"],
            "data": {
                "post_id": "b3a9d2c4-17f0-4e6b-8c35-90ad7f21e6c0",
                "platform": "tiktok",
                "batch_id": None,
            },
        }
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "Service-Webhook/1.0",
            "X-Service-Event": told["event_type"],
            "X-Service-Delivery": told["id"],
            "X-Service-Signature": "sha256=" + "326998b03d8a2b57274b9539ff054814" * 2,
        }
        facts = {
            name: told[name] for name in ("id", "status_code", "latency_ms", "error_message", "created_at")
        }
        sent = {"request_headers": headers, "request_body": json.dumps(body, separators=(",", ":"))}
        return facts | sent | {"subscription_id": webhook, "url": url}
