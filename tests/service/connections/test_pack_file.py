"""The file of a setup pack: signed, with sealed secrets, and refused if anything about it is wrong."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from app.contract.enums import ConnectionPlatform
from app.contract.limits import PACK_BYTES_MAX
from app.contract.packs import PackContent, PackedApp
from app.service.connections import pack_file
from app.service.connections.pack_file import (
    PackFault,
    PackRefusedError,
    SignedPack,
    fingerprint,
    open_secrets,
    public_bytes,
    read_pack,
    seal_secrets,
    write_pack,
)

LINKEDIN, X = ConnectionPlatform.LINKEDIN, ConnectionPlatform.X
KEY = Ed25519PrivateKey.from_private_bytes(b"k" * 32)
PASSPHRASE = "seven brown sheep é"
APPS = [
    PackedApp(
        platform=LINKEDIN,
        client_id="app-7",
        scopes=["openid", "w_member_social"],
        redirect_uri="https://okafor.example/back",
        has_secret=True,
    ),
    PackedApp(
        platform=X, client_id="app-x", scopes=[], redirect_uri="http://127.0.0.1:17217/x", has_secret=False
    ),
]
NOW = datetime(2026, 11, 28, 12, tzinfo=UTC)


def content(apps: list[PackedApp] = APPS, key: Ed25519PrivateKey = KEY) -> PackContent:
    sealed = seal_secrets({LINKEDIN: "a-test-secret"}, PASSPHRASE, apps, public_bytes(key))
    return PackContent(maker="Okafor Studio", note="For the spring", made_at=NOW, apps=apps, sealed=sealed)


@pytest.fixture(scope="module", autouse=True)
def cheap_keys() -> Iterator[None]:
    """Derive keys with little memory. The programs in ``test_packs`` take all of it."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(pack_file, "_MEMORY_KIB", 32)
        yield


@pytest.fixture(scope="module")
def file() -> bytes:
    return write_pack(content(), KEY)


def fault(file: bytes) -> PackFault:
    with pytest.raises(PackRefusedError) as refused:
        read_pack(file)
    return refused.value.fault


def test_what_was_packed_is_read(file: bytes) -> None:
    pack = read_pack(file)

    assert (pack.content.maker, pack.content.note, pack.content.made_at) == (
        "Okafor Studio",
        "For the spring",
        NOW,
    )
    assert pack.content.apps == APPS
    assert pack.maker_key == public_bytes(KEY)
    assert open_secrets(pack, PASSPHRASE) == {LINKEDIN: "a-test-secret"}
    assert b"a-test-secret" not in file
    assert b"app-7" in file


def test_any_changed_byte_is_refused(file: bytes) -> None:
    allowed = {PackFault.CHANGED, PackFault.NOT_A_PACK, PackFault.NEWER}
    for place in range(len(file)):
        for flipped in (1, 0x20, 0x80):
            changed = bytearray(file)
            changed[place] ^= flipped
            assert fault(bytes(changed)) in allowed, (place, flipped)


def test_a_shortened_or_extended_file_is_refused(file: bytes) -> None:
    for end in range(len(file)):
        assert fault(file[:end]) in {PackFault.CHANGED, PackFault.NOT_A_PACK}
    assert fault(file + b"\n") is PackFault.CHANGED
    assert fault(file.replace(b"\n", b"\r\n")) is PackFault.NOT_A_PACK


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        (b"", PackFault.NOT_A_PACK),
        (b"\x89PNG\r\n", PackFault.NOT_A_PACK),
        (b"kalends-pack 2\nwhatever", PackFault.NEWER),
        (b"kalends-pack 1", PackFault.CHANGED),
        (b"kalends-pack 1\n\n\n{}", PackFault.CHANGED),
        (b"kalends-pack 1\n" + b"x" * PACK_BYTES_MAX, PackFault.TOO_LONG),
    ],
)
def test_another_file_is_refused(file: bytes, expected: PackFault) -> None:
    assert fault(file) is expected


@pytest.mark.parametrize(
    "wrong",
    [
        {"apps": [*APPS, APPS[0]]},
        {"apps": []},
        {"sealed": None},
        {"maker": "x" * 101},
        {"maker": "two\nlines"},
        {"apps": [APPS[0].model_copy(update={"redirect_uri": "javascript:alert(1)"}), APPS[1]]},
        {"apps": [APPS[0].model_copy(update={"platform": ConnectionPlatform("myspace")}), APPS[1]]},
        {"apps": [APPS[0].model_copy(update={"client_id": ""}), APPS[1]]},
    ],
)
def test_a_signature_makes_nonsense_no_pack(wrong: dict[str, object]) -> None:
    nonsense = content().model_copy(update=wrong)
    assert fault(write_pack(nonsense, KEY)) is PackFault.NOT_A_PACK


@pytest.mark.parametrize("passphrase", ["", None])
def test_a_missing_passphrase_is_named(file: bytes, passphrase: str | None) -> None:
    with pytest.raises(PackRefusedError) as refused:
        open_secrets(read_pack(file), passphrase)
    assert refused.value.fault is PackFault.PASSPHRASE_MISSING


@pytest.mark.parametrize("passphrase", ["seven brown sheep e", "Seven brown sheep é", " seven brown sheep é"])
def test_a_wrong_passphrase_is_refused(file: bytes, passphrase: str) -> None:
    with pytest.raises(PackRefusedError) as refused:
        open_secrets(read_pack(file), passphrase)
    assert refused.value.fault is PackFault.PASSPHRASE


def test_a_passphrase_typed_with_another_keyboard_is_the_same(file: bytes) -> None:
    assert open_secrets(read_pack(file), "seven brown sheep e\u0301") == {LINKEDIN: "a-test-secret"}


def test_secrets_cannot_be_moved_to_another_pack(file: bytes) -> None:
    pack = read_pack(file)
    moved = APPS[0].model_copy(update={"redirect_uri": "https://elsewhere.example/"})
    forged = pack.content.model_copy(update={"apps": [moved, APPS[1]]})
    other = Ed25519PrivateKey.generate()
    for one in (SignedPack(forged, pack.maker_key), SignedPack(pack.content, public_bytes(other))):
        with pytest.raises(PackRefusedError):
            open_secrets(one, PASSPHRASE)


def test_a_pack_without_secrets_needs_no_passphrase() -> None:
    apps = [app.model_copy(update={"has_secret": False}) for app in APPS]
    pack = read_pack(write_pack(PackContent(maker="School", made_at=NOW, apps=apps), KEY))
    assert open_secrets(pack, None) == {}


def test_the_fingerprint_is_of_the_key() -> None:
    assert fingerprint(public_bytes(KEY)) == read_pack(write_pack(content(), KEY)).fingerprint
    assert len(fingerprint(b"x" * 32).split()) == 5
    assert fingerprint(b"x" * 32) != fingerprint(b"y" * 32)
