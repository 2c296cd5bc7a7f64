"""Published content, stored directly."""

from typing import Any
from uuid import UUID, uuid4

from app.service.store.tables import contents
from tests.service.running import Caller


def publish(caller: Caller, connection_id: str, content_id: str = "urn:li:share:1", **columns: Any) -> str:
    """Stores that something was published; gives the record's id."""
    record = uuid4()
    row = {
        "id": record,
        "account_id": caller.account_id,
        "connection_id": UUID(connection_id),
        "platform": "linkedin",
        "content_id": content_id,
        "media_type": "text",
        "status": "published",
        "created_via": "rest",
        "created_at": caller.service.clock(),
        **columns,
    }
    caller.service.database.write_now(lambda rows: rows.execute(contents.insert().values(row)))
    return str(record)
