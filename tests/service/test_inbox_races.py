"""The last place in a TikTok inbox, which two programs want at the same moment."""

import threading
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Connection, Engine, insert, select

from app.contract.enums import PostingPlatform, PostType
from app.contract.posts import CreatePost
from app.service.accounts.accounts import Plan, create_account
from app.service.api.responses import ApiError
from app.service.clock import system_clock
from app.service.posts.by_hand import set_by_hand
from app.service.posts.changing import reschedule
from app.service.posts.creating import Creation
from app.service.store.tables import connections, media, posts
from tests.service.racing import wait_for_a_lock
from tests.stores import chosen, service_engine, take_back

NOW = system_clock()
WHEN, LATER = NOW + timedelta(days=3), NOW + timedelta(days=30)


class Inbox:
    """A TikTok account with room for one more post in the inbox at WHEN, on PostgreSQL."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.connection = engine, uuid4()
        with engine.begin() as rows:
            self.owner = create_account(rows, "Ines", Plan.STUDIO, NOW)
            self.path = f"{self.owner}/wool.mp4"
            connected = {
                "id": self.connection,
                "account_id": self.owner,
                "platform": "tiktok",
                "account_identifier": "wool",
                "is_available": True,
                "access_token": b"sealed",
                "inbox": True,
                "created_at": NOW,
            }
            film = {
                "id": uuid4(),
                "account_id": self.owner,
                "storage_path": self.path,
                "kind": "video",
                "content_type": "video/mp4",
                "size_bytes": 10,
                "sha256": "0" * 64,
                "created_at": NOW,
            }
            rows.execute(insert(connections).values(connected))
            rows.execute(insert(media).values(film))
            for _ in range(4):
                self.create(rows)
            self.far = self._planned(rows, LATER, by_hand=False)
            self.by_hand = self._planned(rows, WHEN, by_hand=True)

    def create(self, rows: Connection) -> None:
        body = CreatePost(
            social_account_id=self.connection,
            platform=PostingPlatform.TIKTOK,
            post_type=PostType.VIDEO,
            description="Wool",
            media_storage_path=self.path,
            scheduled_at=WHEN,
        )
        Creation(self.owner, body, NOW, {}).store(rows)

    def move(self, rows: Connection) -> None:
        reschedule(rows, self.owner, self.far, WHEN)

    def leave_to_kalends(self, rows: Connection) -> None:
        set_by_hand(rows, self.owner, self.by_hand, by_hand=False)

    def waiting(self) -> int:
        at_once = (posts.c.connection_id == self.connection, posts.c.scheduled_at == WHEN, ~posts.c.by_hand)
        with self.engine.begin() as rows:
            return len(rows.scalars(select(posts.c.id).where(*at_once)).all())

    def _planned(self, rows: Connection, at: datetime, *, by_hand: bool) -> UUID:
        post_id = uuid4()
        post = {
            "id": post_id,
            "account_id": self.owner,
            "connection_id": self.connection,
            "platform": "tiktok",
            "post_type": "video",
            "status": "scheduled",
            "scheduled_at": at,
            "media_storage_path": self.path,
            "by_hand": by_hand,
            "created_via": "rest",
            "created_at": NOW,
        }
        rows.execute(insert(posts).values(post))
        return post_id


@pytest.fixture
def inbox(tmp_path: Path) -> Iterator[Inbox]:
    """PostgreSQL alone: SQLite has one writer at a time."""
    with chosen("postgresql"):
        engine = service_engine(tmp_path)
        yield Inbox(engine)
        engine.dispose()
    take_back(tmp_path)


@pytest.mark.parametrize("second", [Inbox.create, Inbox.move, Inbox.leave_to_kalends])
def test_only_one_of_two_posts_gets_the_last_place(
    inbox: Inbox, second: Callable[[Inbox, Connection], None]
) -> None:
    refusals: list[str] = []

    def write() -> None:
        try:
            with inbox.engine.begin() as rows:
                second(inbox, rows)
        except ApiError as error:
            refusals.extend(one.type for one in error.details)

    other = threading.Thread(target=write)
    with inbox.engine.begin() as rows:
        inbox.create(rows)
        other.start()
        wait_for_a_lock(inbox.engine, other)
    other.join()
    assert refusals == ["inbox_full"]
    assert inbox.waiting() == 5
