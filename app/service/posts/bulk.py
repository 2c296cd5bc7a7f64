"""Creating many posts in one call: each one stands or falls alone, and all of them share a batch."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID, uuid4

from pydantic import ValidationError
from pydantic_core import to_json
from sqlalchemy import Connection

from app.contract.errors import ValidationDetails, ValidationIssue
from app.contract.posts import BulkCreateResult, CreatePost, Post
from app.service.api.errors import ApiError, from_pydantic, invalid_fields
from app.service.posts.creating import Creation, Unreachable

BODY_BYTES_MAX: Final = 4 * 1024 * 1024
"""Room for the most and longest posts that the contract allows, with every character escaped."""


class BulkCreation:
    """One bulk call of one account: read and checked first, then stored in a write transaction.

    The batch id is ours, whatever the items say. An item without an idempotency key gets one made of the
    batch and its place in the call.
    """

    def __init__(
        self,
        account_id: UUID,
        items: Sequence[Mapping[str, Any]],
        now: datetime,
        unreachable: Unreachable,
        *,
        new_id: Callable[[], UUID] = uuid4,
    ) -> None:
        """``new_id`` names the batch and its posts."""
        self._account_id = account_id
        self._now = now
        self._unreachable = unreachable
        self._new_id = new_id
        self._batch_id = new_id()
        self._read = [self._read_item(index, item) for index, item in enumerate(items)]

    def check_accounts(self, connection: Connection) -> None:
        """Rejects the items whose account cannot be posted to."""
        for index, item in enumerate(self._read):
            try:
                if isinstance(item, Creation):
                    item.check_account(connection)
            except ApiError as error:
                self._read[index] = error.with_traceback(None)  # which would keep the whole batch

    def check_texts(self) -> None:
        """Looks for what is wrong with the items that are left. Takes up to some tenths of a second."""
        for item in self._read:
            if isinstance(item, Creation):
                _ = item.issues

    def store(self, connection: Connection) -> BulkCreateResult:
        """Stores what is good; the rest is told item by item."""
        inserted: list[Post] = []
        rejected: list[dict[str, Any]] = []
        for index, item in enumerate(self._read):
            if isinstance(item, ApiError):
                rejected.append(_rejection(index, item))
                continue
            try:
                created = item.store(connection)
            except ApiError as error:
                rejected.append(_rejection(index, error))
            else:
                if not created.replayed:
                    inserted.append(created.post)
        return BulkCreateResult(
            success=True,
            batch_id=self._batch_id,
            total=len(self._read),
            inserted=len(inserted),
            duplicates=len(self._read) - len(inserted) - len(rejected),
            rejected=rejected,
            posts=inserted,
        )

    def _read_item(self, index: int, item: Mapping[str, Any]) -> Creation | ApiError:
        try:
            body = CreatePost.model_validate_json(to_json(item))  # as JSON, where an id is written as text
        except ValidationError as error:
            return from_pydantic(error)
        if body.idempotency_key is None:
            body = body.model_copy(update={"idempotency_key": f"{self._batch_id}:{index}"})
        return Creation(
            self._account_id,
            body,
            self._now,
            self._unreachable,
            batch_id=str(self._batch_id),
            new_id=self._new_id,
        )


def _rejection(index: int, error: ApiError) -> dict[str, Any]:
    """A rejected item; the fields are named as they stand in the call, such as ``posts.3.title``."""
    issues = [_placed(index, issue) for issue in error.details]
    told = invalid_fields(issues).message if issues else error.message
    return {
        "index": index,
        "code": error.code,
        "message": told,
        "details": ValidationDetails(errors=issues).model_dump(),
    }


def _placed(index: int, issue: ValidationIssue) -> ValidationIssue:
    field = f"posts.{index}.{issue.field}" if issue.field else f"posts.{index}"
    return issue.model_copy(update={"field": field})
