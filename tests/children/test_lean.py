"""TLS contexts of libraries that nobody uses."""

import ssl
import sys
from pathlib import Path
from types import ModuleType

import certifi
import pytest

from app.children.lean import import_without_authorities

_LIBRARY = """
import ssl
from concurrent.futures import ThreadPoolExecutor

checking = ssl.create_default_context()
careless = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
careless.set_default_verify_paths()
with ThreadPoolExecutor(1) as another_thread:
    elsewhere = another_thread.submit(ssl.create_default_context).result()
"""


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    (tmp_path / "library_with_contexts.py").write_text(_LIBRARY, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", certifi.where())
    import_without_authorities("library_with_contexts")
    return sys.modules.pop("library_with_contexts")


def _authorities(context: ssl.SSLContext) -> int:
    return context.cert_store_stats()["x509_ca"]


def test_contexts_that_are_made_while_it_is_imported_trust_nobody(library: ModuleType) -> None:
    assert _authorities(library.checking) == _authorities(library.careless) == 0
    assert library.checking.verify_mode is ssl.CERT_REQUIRED


def test_contexts_of_other_threads_and_later_ones_trust_as_usual(library: ModuleType) -> None:
    later = ssl.create_default_context()
    assert _authorities(library.elsewhere) == _authorities(later) > 100


def test_a_failed_import_leaves_contexts_as_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", certifi.where())
    with pytest.raises(ModuleNotFoundError):
        import_without_authorities("library_that_is_missing")
    assert _authorities(ssl.create_default_context()) > 100
