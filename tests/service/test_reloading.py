"""Settings that are read again on SIGHUP."""

import json
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.service.reloading import LIVE
from app.service.settings import Settings
from tests.service.programs import ROOT, Started, serving, unix_only

pytestmark = unix_only
_PATIENCE_S = 60
PLAN = "[limits.local]\nread = 2\n"


class Log:
    """What a running service has logged."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def lines(self, event: str) -> list[dict[str, Any]]:
        lines = [json.loads(line) for line in self._file.read_text("utf-8").splitlines()]
        return [line for line in lines if line["event"] == event]

    def wait_for(self, event: str, holds: Callable[[list[dict[str, Any]]], bool] = bool) -> dict[str, Any]:
        end = time.monotonic() + _PATIENCE_S
        while not holds(self.lines(event)):
            assert time.monotonic() < end, f"{event!r} was never logged"
            time.sleep(0.05)
        return self.lines(event)[-1]


def hang_up(service: Started) -> None:
    service.process.send_signal(signal.SIGHUP)


@pytest.fixture
def log(tmp_path: Path) -> Log:
    return Log(tmp_path / "log")


def test_limits_and_logs_change_while_it_serves(
    data: Path, account: str, key: str, log: Log, tmp_path: Path
) -> None:
    assert account
    with serving(data, log=tmp_path / "log") as service, service.client(key) as http:
        assert {http.get("/posts").status_code for _ in range(5)} == {200}
        assert log.lines("request") == []
        (data / "service.toml").write_text(f'access_log = true\npublic_origin = "https://a.example"\n{PLAN}')
        hang_up(service)
        told = log.wait_for("the settings were read again")

        assert told["changed"] == ["access_log", "limits"]
        assert told["needing_a_restart"] == ["public_origin"]
        assert 429 in {http.get("/posts").status_code for _ in range(5)}
        log.wait_for("request", lambda lines: len(lines) == 5)
        (data / "service.toml").unlink()
        hang_up(service)
        log.wait_for("the settings were read again", lambda lines: len(lines) == 2)
        assert {http.get("/posts").status_code for _ in range(5)} == {200}
        assert service.end() == 0


def test_invalid_settings_change_nothing(data: Path, account: str, log: Log, tmp_path: Path) -> None:
    assert account
    (data / "service.toml").write_text("access_log = true\n")
    with serving(data, log=tmp_path / "log") as service, service.client("none") as http:
        (data / "service.toml").write_text('access_log = "perhaps"\n')
        hang_up(service)
        refused = log.wait_for("the settings stay as they are")

        assert "access_log" in refused["reason"]
        http.get("/posts")
        log.wait_for("request")
        assert service.end() == 0


def test_what_changes_is_documented() -> None:
    assert set(Settings.model_fields) >= LIVE
    page = (ROOT / "docs" / "operating.md").read_text("utf-8")
    paragraph = next(part for part in page.split("\n\n") if "SIGHUP" in part)
    assert [name for name in LIVE if f"`{name}`" not in paragraph] == []
