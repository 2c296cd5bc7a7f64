"""Asking a server for its certificate."""

from pathlib import Path

from app.workspace.homes.certificates import presented_certificate
from tests.network.deaf import deaf, left_open


def test_the_connection_is_closed_however_slow_the_server_is(tmp_path: Path) -> None:
    with deaf(tmp_path, reads_request=False) as (url, _):

        async def story() -> None:
            assert (await presented_certificate(url)).fingerprint

        assert left_open(story) == []
