"""The key of an export's secrets, whose derivation takes 64 MiB."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest

from app.service.transfer import sealing
from app.service.transfer.sealing import ExportSeal
from tests.service.transfer.household import PASSPHRASE


def test_keys_are_derived_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    running, most = [0], [0]
    counting = threading.Lock()

    class Argon2id:
        def __init__(self, **parameters: Any) -> None:
            assert parameters["memory_cost"] == 64 * 1024

        def derive(self, _words: bytes) -> bytes:
            with counting:
                running[0] += 1
                most[0] = max(most[0], running[0])
            time.sleep(0.01)  # long enough for the others to begin, if nothing stops them
            running[0] -= 1
            return bytes(32)

    monkeypatch.setattr(sealing, "Argon2id", Argon2id)
    with ThreadPoolExecutor(8) as threads:
        seals = list(threads.map(lambda _: ExportSeal.new(PASSPHRASE, uuid4()), range(8)))
    assert len(seals) == 8
    assert most == [1]
