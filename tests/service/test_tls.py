"""Certificates: made when needed, kept while good, renewed before their end."""

import ssl
import stat
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from app.service.tls import Certificates, Identity
from app.workspace.homes import Home, HomeKind
from app.workspace.homes.certificates import ssl_context
from tests.service.running import MovingClock


def fingerprints(folder: Path) -> tuple[bytes, bytes]:
    return (folder / "ca.pem").read_bytes(), (folder / "server.pem").read_bytes()


def handshake(server: ssl.SSLContext, ca_file: Path, name: str, client: ssl.SSLContext | None = None) -> str:
    """A handshake in memory; gives the protocol version."""
    client = client or ssl.create_default_context(cafile=ca_file)
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = (
        client.wrap_bio(to_client, to_server, server_hostname=name),
        server.wrap_bio(to_server, to_client, server_side=True),
    )
    finished: set[int] = set()
    while len(finished) < len(ends):
        for number, end in enumerate(ends):
            try:
                end.do_handshake()
                finished.add(number)
            except ssl.SSLWantReadError:
                continue
    return str(ends[0].version())


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "::1", "calendar.example"])
def test_the_certificate_holds_for_loopback_and_the_host(tmp_path: Path, name: str) -> None:
    certificates = Certificates(tmp_path, "calendar.example", MovingClock())

    assert handshake(certificates.context(), certificates.authority_file, name) in {"TLSv1.2", "TLSv1.3"}


def test_it_holds_for_nobody_else(tmp_path: Path) -> None:
    certificates = Certificates(tmp_path, "127.0.0.1", MovingClock())
    context = certificates.context()

    with pytest.raises(ssl.SSLCertVerificationError):
        handshake(context, certificates.authority_file, "example.com")


def test_another_installation_is_not_trusted(tmp_path: Path) -> None:
    mine, other = (Certificates(tmp_path / name, "", MovingClock()) for name in ("mine", "other"))
    other.context()

    with pytest.raises(ssl.SSLCertVerificationError):
        handshake(mine.context(), other.authority_file, "localhost")


def test_what_is_good_is_kept(tmp_path: Path) -> None:
    Certificates(tmp_path, "127.0.0.1", MovingClock()).context()
    before = fingerprints(tmp_path)

    Certificates(tmp_path, "127.0.0.1", MovingClock()).context()

    assert fingerprints(tmp_path) == before


def test_near_its_end_the_certificate_is_renewed_under_the_same_authority(tmp_path: Path) -> None:
    clock = MovingClock()
    certificates = Certificates(tmp_path, "127.0.0.1", clock)
    context = certificates.context()
    authority, leaf = fingerprints(tmp_path)

    clock.ahead = timedelta(days=368)
    certificates.renew(context)

    assert fingerprints(tmp_path)[0] == authority
    assert fingerprints(tmp_path)[1] != leaf
    with pytest.raises(
        ssl.SSLCertVerificationError, match="not yet valid"
    ):  # new connections use the new one
        handshake(context, certificates.authority_file, "localhost")


def test_near_its_end_the_authority_is_replaced_with_all_below_it(tmp_path: Path) -> None:
    clock = MovingClock()
    certificates = Certificates(tmp_path, "127.0.0.1", clock)
    context = certificates.context()
    authority, leaf = fingerprints(tmp_path)

    clock.ahead = timedelta(days=3_500)
    certificates.renew(context)

    assert fingerprints(tmp_path)[0] != authority
    assert fingerprints(tmp_path)[1] != leaf


def test_what_was_made_while_the_clock_was_ahead_is_replaced_once_it_is_right(tmp_path: Path) -> None:
    clock = MovingClock()
    clock.ahead = timedelta(days=3_000)
    certificates = Certificates(tmp_path, "127.0.0.1", clock)
    context = certificates.context()

    clock.ahead = timedelta()
    certificates.renew(context)

    assert handshake(context, certificates.authority_file, "localhost")


@pytest.mark.parametrize("days", [-3_000, 3_000])
def test_the_app_knows_its_own_service_whatever_the_clock_says(tmp_path: Path, days: int) -> None:
    clock = MovingClock()
    clock.ahead = timedelta(days=days)
    certificates = Certificates(tmp_path, "127.0.0.1", clock)
    context = certificates.context()
    file = certificates.authority_file
    here = ssl_context(Home(kind=HomeKind.EMBEDDED, name="Here", ca_file=file))
    elsewhere = ssl_context(Home(kind=HomeKind.REMOTE, name="Elsewhere", ca_file=file))

    assert handshake(context, file, "localhost", here)
    with pytest.raises(ssl.SSLCertVerificationError, match=r"not yet valid|expired"):
        handshake(context, file, "localhost", elsewhere)
    with pytest.raises(ssl.SSLCertVerificationError):
        handshake(context, file, "example.com", here)


def test_a_new_host_gets_a_new_certificate(tmp_path: Path) -> None:
    Certificates(tmp_path, "127.0.0.1", MovingClock()).context()
    authority, leaf = fingerprints(tmp_path)

    Certificates(tmp_path, "192.0.2.7", MovingClock()).context()

    assert fingerprints(tmp_path)[0] == authority
    assert fingerprints(tmp_path)[1] != leaf


@pytest.mark.parametrize("damaged", ["ca.pem", "ca.key", "server.pem", "server.key"])
@pytest.mark.parametrize("content", [b"", b"nonsense"])
def test_damaged_files_are_replaced(tmp_path: Path, damaged: str, content: bytes) -> None:
    certificates = Certificates(tmp_path, "127.0.0.1", MovingClock())
    certificates.context()
    (tmp_path / damaged).write_bytes(content)

    assert handshake(certificates.context(), certificates.authority_file, "localhost")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps permissions elsewhere")
def test_keys_are_the_owners_alone_and_never_shown(tmp_path: Path) -> None:
    Certificates(tmp_path, "127.0.0.1", MovingClock()).context()

    for name in ("ca.key", "server.key"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    identity = Identity.from_pem((tmp_path / "ca.pem").read_bytes(), (tmp_path / "ca.key").read_bytes())
    assert "PRIVATE" not in repr(identity)
