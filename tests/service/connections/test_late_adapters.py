"""A call that needs an adapter before the service has imported them."""

import threading
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from app.network import Way
from app.platforms import registry
from app.platforms.late import LateAdapters
from tests.architecture.sources import ROOT, sources
from tests.service.running import run_service


def test_adapters_are_built_beside_the_event_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built_on: list[int | None] = []

    def noting(build: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*arguments: Any, **options: Any) -> Any:
            built_on.append(threading.current_thread().ident)
            return build(*arguments, **options)

        return noted

    monkeypatch.setattr(registry, "build_adapters", noting(registry.build_adapters))
    late = LateAdapters(
        "http://127.0.0.1:9",
        instagram_login=False,
        way=Way(),
        clock=lambda: datetime.now(UTC),
        heard=lambda _platform, _theirs, _asked: None,
    )
    with run_service(tmp_path, late) as service:
        with closing(service.new_caller().http) as http:
            answer = http.post("/connections/initiate", json={"platform": "linkedin"})
        loop = service.await_(_this_thread)
        service.await_(lambda: late.__aexit__(None, None, None))

    assert answer.status_code == 201
    assert len(built_on) == 1
    assert built_on != [loop]


def test_calls_take_adapters_where_they_are_waited_for() -> None:
    """The mapping itself may import them on the event loop; `Platforms.adapter` waits in a thread."""
    found = [
        source.path.relative_to(ROOT).as_posix()
        for source in sources("app/service")
        if "platforms.adapters.get" in source.path.read_text("utf-8")
        or "platforms.adapters[" in source.path.read_text("utf-8")
    ]

    assert found == []


async def _this_thread() -> int | None:
    return threading.current_thread().ident
