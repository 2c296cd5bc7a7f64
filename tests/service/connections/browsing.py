"""What a caller and a browser do in a flow, and what is seen of it."""

from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

import httpx
from sqlalchemy import Row, select

from app.service.store.tables import connection_flows, connections, events
from tests.service.running import Caller


def initiate(caller: Caller, platform: str = "linkedin", **body: str) -> dict[str, Any]:
    """Begins a flow that must be accepted."""
    answer = caller.http.post("/connections/initiate", json={"platform": platform, **body})
    assert answer.status_code == 201, answer.text
    started: dict[str, Any] = answer.json()
    return started


def callback(connect_url: str, **answer: str) -> str:
    """Where the platform sends the browser that it was sent by ``connect_url``."""
    asked = parse_qs(urlsplit(connect_url).query)
    return str(httpx.URL(asked["redirect_uri"][0], params={"state": asked["state"][0], **answer}))


def connect(caller: Caller, browser: httpx.Client, platform: str = "linkedin") -> str:
    """Connects the account that the platform offers; gives the connection's id."""
    started = initiate(caller, platform)
    assert "is connected" in browser.get(callback(started["connect_url"], code="c")).text
    newest = listed(caller, platform=platform, include_unavailable="true")[0]
    return str(newest["id"])


def listed(caller: Caller, **query: Any) -> list[dict[str, Any]]:
    """The first page of the account's connections."""
    found: list[dict[str, Any]] = caller.http.get("/connections", params=query).json()["data"]
    return found


def reauthorize(caller: Caller, connection_id: str) -> str:
    """Begins a reauthorization that must be accepted; gives the address for the browser."""
    answer = caller.http.post(f"/connections/{connection_id}/reauth")
    assert answer.status_code == 200, answer.text
    return str(answer.json()["reauth_url"])


def mark_unavailable(caller: Caller, connection_id: str) -> None:
    """Ends the access as if the platform had."""
    gone = connections.update().where(connections.c.id == UUID(connection_id)).values(is_available=False)
    caller.service.database.write_now(lambda rows: rows.execute(gone))


def stored(caller: Caller, connection_id: str) -> Row[Any]:
    """The row of a connection."""
    found = select(connections).where(connections.c.id == UUID(connection_id))
    return caller.service.database.read_now(lambda rows: rows.execute(found).one())


def flow_of(caller: Caller, connection_id: str) -> Row[Any]:
    """The row of the flow with this pending id."""
    found = select(connection_flows).where(connection_flows.c.connection_id == UUID(connection_id))
    return caller.service.database.read_now(lambda rows: rows.execute(found).one())


def told(caller: Caller) -> list[str]:
    """The types of the account's events, in their order."""
    types = (
        select(events.c.type).where(events.c.account_id == caller.account_id).order_by(events.c.created_at)
    )
    return list(caller.service.database.read_now(lambda rows: rows.scalars(types).all()))
