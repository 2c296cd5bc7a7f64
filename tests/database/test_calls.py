"""PostgreSQL only: notifications between processes."""

import threading
import time
from queue import Queue
from threading import Event

import pytest
from sqlalchemy import Connection, event, text
from sqlalchemy.exc import TimeoutError as NoConnectionLeftError

from app.database import Database
from app.database.postgresql import COUNT_OTHER_PROGRAMS
from tests.database.test_postgresql import new_counts, opened
from tests.postgres import Cluster


@pytest.fixture
def url() -> str:
    return new_counts()


def test_calls_are_heard_also_after_the_server_was_away(mortal: Cluster) -> None:
    heard: Queue[str] = Queue()
    url = mortal.create_database()
    with opened(url) as one, opened(url) as other:
        end = one.on_call("posts", lambda: heard.put("posts"))
        assert heard.get(timeout=20) == "posts"  # it listens, and checks immediately
        call(other, "changes")
        call(other, "posts")
        assert heard.get(timeout=20) == "posts"
        mortal.stop("immediate")
        mortal.start()
        assert heard.get(timeout=20) == "posts"  # it listens again; what was said meanwhile is unknown
        end()
        call(other, "posts")
    assert heard.empty()


@pytest.mark.filterwarnings("error")
def test_a_call_that_got_no_connection_does_not_end_later_ones(url: str) -> None:
    heard, failed = Queue[None](), Event()

    def fail_once(_connection: Connection) -> None:
        if threading.current_thread().name.startswith("caller") and not failed.is_set():
            failed.set()
            raise NoConnectionLeftError("QueuePool limit reached")

    with opened(url) as one, opened(url) as other:
        end = one.on_call("changes", lambda: heard.put(None))
        heard.get(timeout=20)  # it listens
        event.listen(other.engine, "engine_connect", fail_once)
        other.write_now(lambda _rows: None)
        assert failed.wait(20)
        other.write_now(lambda _rows: None)
        heard.get(timeout=20)
        end()


def call(database: Database, subject: str) -> None:
    said = text("SELECT pg_notify('kalends', :subject)")
    database.write_now(lambda rows: rows.execute(said, {"subject": subject}))


def test_a_call_that_is_late_at_the_end_leaves_no_connection(url: str) -> None:
    late, may_go_on = Event(), Event()

    def wait(_rows: object, _cursor: object, statement: str, *_more: object) -> None:
        if "pg_notify" in statement:
            late.set()
            may_go_on.wait(20)

    with opened(url) as database:
        event.listen(database.engine, "before_cursor_execute", wait)
        database.write_now(lambda _rows: None)
        assert late.wait(20)
    may_go_on.set()

    with opened(url) as other:
        for _ in range(1000):
            if not other.read_now(lambda rows: rows.scalar(COUNT_OTHER_PROGRAMS)):
                return
            time.sleep(0.01)
    pytest.fail("the connection is still open")
