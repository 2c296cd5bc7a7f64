"""The search for secrets finds them."""

import base64
from pathlib import Path

import pytest

from app.practice.store import Store
from tests.secrecy import leaks

TOKEN = "an-access-token-of-practice"


@pytest.fixture
def left(tmp_path: Path) -> Path:
    """A service's folder, a log, and practice platforms that issued a token."""
    (tmp_path / "service").mkdir()
    (tmp_path / "service" / "service.db").write_bytes(b"nothing here")
    (tmp_path / "programs.log").write_bytes(b"ready")
    store = Store(tmp_path / "practice")
    with store.transaction() as connection:
        connection.execute(
            "INSERT INTO grants (id, platform, account, identifier, client_id, scope)"
            " VALUES (1, 'x', 'a', 'i', 'c', 's')"
        )
        connection.execute(
            "INSERT INTO tokens (token, grant_id, kind, expires_at) VALUES (?, 1, 'access', 0)", (TOKEN,)
        )
    store.close()
    return tmp_path


def test_a_clean_folder_holds_none(left: Path) -> None:
    assert leaks(left) == []


@pytest.mark.parametrize(
    "secret",
    [
        "stp_rest_" + "0a" * 32,
        "whsec_" + "QUJD" * 8,
        "GET /media/a?token=" + "x" * 40,
        TOKEN,
        base64.b64encode(TOKEN.encode()).decode(),
    ],
)
@pytest.mark.parametrize("file", ["service/service.db-wal", "service/deep/er/file", "programs.log"])
def test_a_planted_secret_is_found(left: Path, file: str, secret: str) -> None:
    path = left / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"before {secret} after")
    assert len(leaks(left)) == 1
    path.unlink()  # the search over the whole run must not find it
