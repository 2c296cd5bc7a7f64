"""How long X and Bluesky ask to wait after too many calls."""

from datetime import timedelta

import httpx
import pytest

from app.contract.enums import ConnectionPlatform as P
from tests.platforms.scripted import NOW, Script, publication

RESET = NOW + timedelta(seconds=90)


@pytest.mark.parametrize(
    ("status", "reset", "seconds"),
    [
        (429, str(int(RESET.timestamp())), 90),
        (429, "99999999999", 99_999_999_999 - NOW.timestamp()),
        (429, "1", 0),
        (429, "999999999999", 7),
        (429, "9" * 5_000, 7),
        (429, "soon", 7),
        (429, "\u00b2", 7),
        (429, "", 7),
        (403, str(int(RESET.timestamp())), 7),
    ],
)
@pytest.mark.parametrize(
    ("platform", "header"),
    [(P.X, "x-rate-limit-reset"), (P("bluesky"), "ratelimit-reset")],
    ids=str,
)
def test_a_wait_ends_at_the_reset_and_otherwise_after_the_seconds_of_the_standard(
    platform: P, header: str, status: int, reset: str, seconds: float
) -> None:
    """Responses to other calls have a time of reset as well."""
    headers = {header.encode(): reset.encode(), b"retry-after": b"7"}
    script = Script(httpx.Response(status, json={}, headers=headers))
    error = script.fail(platform, lambda adapter: adapter.publish(publication("did:plc:a")))
    assert error.retry_after == seconds
