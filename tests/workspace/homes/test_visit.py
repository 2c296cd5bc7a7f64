"""First contact with a service: whom the key is sent to, and what is said of addresses and keys."""

from pathlib import Path

import pytest

from app.workspace.homes import Homes
from app.workspace.homes.certificates import presented_certificate
from app.workspace.homes.credentials import Credentials
from app.workspace.homes.visit import UntrustedCertificateError, Visits
from app.workspace.messages import Problem
from tests.client.raw_service import KEY, answering, plain


def visits(folder: Path) -> Visits:
    return Visits(Homes(folder), Credentials(folder))


def quiet(_text: str) -> None:
    """Nobody looks at the progress."""


async def test_the_key_is_not_sent_to_a_stranger_on_this_computer(tmp_path: Path) -> None:
    async with answering(tmp_path, plain(b"{}")) as stranger:
        with pytest.raises(UntrustedCertificateError) as asked:
            await visits(tmp_path).begin_service(stranger.base, KEY, trusted=None, progress=quiet)
        shown = await presented_certificate(stranger.base)
        assert asked.value.details == shown.fingerprint
        assert not asked.value.changed
        assert not stranger.heads
        assert not Homes(tmp_path).all()


async def test_the_command_line_asks_too(tmp_path: Path) -> None:
    key_file = tmp_path / "key"
    key_file.write_text(KEY)

    async with answering(tmp_path, plain(b"{}")) as stranger:
        with pytest.raises(UntrustedCertificateError):
            await visits(tmp_path).named(stranger.base, key_file, quiet)
        assert not stranger.heads


async def test_a_certificate_that_was_accepted_is_spoken_to(tmp_path: Path) -> None:
    async with answering(tmp_path, plain(b"{}")) as service:
        shown = await presented_certificate(service.base)
        with pytest.raises(Problem, match="isn't a Kalends service"):
            await visits(tmp_path).begin_service(service.base, KEY, trusted=shown, progress=quiet)
        assert service.heads


@pytest.mark.parametrize(
    "address",
    ["https://[", "https://x:99999", "https://x:0", "https://u@x", "x?y", "https://a\u2100b"],
)
async def test_what_is_no_address_is_a_sentence(tmp_path: Path, address: str) -> None:
    with pytest.raises(Problem) as caught:
        await visits(tmp_path).begin_service(address, KEY, trusted=None, progress=quiet)
    assert caught.value.kind == "address"


@pytest.mark.parametrize("key", ["ключ", "a b\nc", "\u202e"])
async def test_what_is_no_key_is_a_sentence(tmp_path: Path, key: str) -> None:
    with pytest.raises(Problem) as caught:
        await visits(tmp_path).begin_service("https://127.0.0.1:9", key, trusted=None, progress=quiet)
    assert caught.value.kind == "key_refused"
