"""Streams and the end of the program: whoever listens is let go of, in good order."""

from pathlib import Path

import httpx
from httpx_sse import EventSource

from app.contract.enums import KeyScope
from app.service.accounts.accounts import Plan, create_account, create_key
from app.service.clock import system_clock
from tests.service.companion.streams import fresh
from tests.service.programs import serving, write
from tests.service.running import run_service


def test_the_program_ends_its_streams_before_it_ends(tmp_path: Path) -> None:
    now = system_clock()
    account_id = write(tmp_path, lambda rows: create_account(rows, "Ines", Plan.LOCAL, now))
    key = write(tmp_path, lambda rows: create_key(rows, account_id, KeyScope.API_FULL, None, now))[1]
    with serving(tmp_path) as service, service.client(key) as http:
        url = f"{service.base_url}/companion/v1/events"
        with http.stream("GET", url, timeout=httpx.Timeout(20)) as response:
            events = EventSource(response).iter_sse()
            assert next(events).event == "reset"
            service.process.terminate()
            assert list(events) == []  # ended, not broken off, which would raise
        assert service.process.wait(20) == 0


def test_after_the_end_streams_end_at_once(tmp_path: Path) -> None:
    with run_service(tmp_path, {}) as service:
        caller = service.new_caller()
        feed = service.parts.api.state.service.feed
        with fresh(caller) as stream:
            service.await_(feed.stop)
            assert stream.has_ended()
        with fresh(caller) as stream:
            assert stream.has_ended()
        service.forget_callers()
