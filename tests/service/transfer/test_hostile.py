"""Exports that somebody changed: refused with the name of the field, and nothing is imported."""

import json
import shutil
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import select

from app.service.accounts.accounts import Plan
from app.service.problems import CommandProblem
from app.service.store.tables import accounts, posts
from app.service.transfer.checking import Rooms
from app.service.transfer.exporting import export_account
from app.service.transfer.importing import import_account
from app.service.transfer.manifest import ExportFolder
from tests.service.transfer.household import PASSPHRASE, Home, fill, home

ROOMS = Rooms(Plan.LOCAL)
Row = dict[str, Any]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Home]:
    with home(tmp_path / "server", "sqlite") as there:
        yield there


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("exported")
    with home(root / "laptop", "sqlite") as laptop:
        account = fill(laptop, 6)
        export_account(laptop.source, account, ExportFolder(root / "export"), PASSPHRASE, 0)
    return root / "export"


@pytest.fixture
def export(exported: Path, tmp_path: Path) -> Path:
    """A copy of the export to change."""

    return Path(shutil.copytree(exported, tmp_path / "export"))


def rewrite(export: Path, table: str, change: Callable[[Row], object]) -> None:
    """Changes the first row of a table, and the manifest with it."""
    file = export / f"{table}.ndjson"
    first, *others = file.read_text("utf-8").splitlines(keepends=True)
    row = json.loads(first)
    change(row)
    file.write_text("".join([json.dumps(row) + "\n", *others]), "utf-8")
    edit(export, lambda manifest: manifest["tables"][table].update(sha256=digest(file)))


def digest(file: Path) -> str:
    return sha256(file.read_bytes()).hexdigest()


def edit(export: Path, change: Callable[[Row], object]) -> None:
    file = export / "manifest.json"
    manifest = json.loads(file.read_text("utf-8"))
    change(manifest)
    file.write_text(json.dumps(manifest), "utf-8")


def refusal(server: Home, export: Path, rooms: Rooms = ROOMS, passphrase: str = PASSPHRASE) -> str:
    with pytest.raises(CommandProblem) as refused:
        import_account(server.target, ExportFolder(export), passphrase, rooms)
    assert server.database.read_now(lambda rows: rows.scalars(select(accounts.c.name)).all()) in (
        [],
        ["Other"],
    )
    return str(refused.value)


@pytest.mark.parametrize(
    ("table", "field", "value"),
    [
        ("posts", "status", "exploded"),
        ("posts", "platform", "myspace"),
        ("posts", "id", "not an id"),
        ("posts", "scheduled_at", "tomorrow"),
        ("posts", "description", "null \x00 character"),
        ("posts", "description", "x" * 300_000),
        ("posts", "options", {"a": [[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]}),
        ("posts", "media_storage_path", "00000000-0000-0000-0000-000000000000/theirs.png"),
        ("posts", "connection_id", str(UUID(int=7))),
        ("posts", "claimed_by", str(UUID(int=7))),
        ("posts", "account_id", str(UUID(int=7))),
        ("connections", "is_available", "yes"),
        ("connections", "account_identifier", "x" * 201),
        ("connections", "avatar_url", "file:///etc/passwd"),
        ("media", "storage_path", "../../etc/passwd"),
        ("media", "sha256", "../../../etc/passwd"),
        ("media", "size_bytes", -1),
        ("media", "frame_rate", "NaN"),
        ("attempts", "outcome", "glorious"),
        ("metrics", "views", 2**64),
        ("webhook_subscriptions", "events", ["everything"]),
        ("webhook_subscriptions", "events", []),
        ("webhook_subscriptions", "events", ["post.published"] * 2),
        ("webhook_subscriptions", "url", "gopher://hook.example"),
        ("webhook_subscriptions", "url", "http://hook.example"),
        ("webhook_subscriptions", "url", "https://user:word@hook.example"),
        ("events", "data", "[]"),
        ("deliveries", "subscription_id", str(UUID(int=7))),
        ("deliveries", "request_body", "not base64!"),
    ],
)
def test_a_changed_field_is_named(server: Home, export: Path, table: str, field: str, value: Any) -> None:
    rewrite(export, table, lambda row: row.update({field: value}))
    assert f"{table}.ndjson" in (said := refusal(server, export))
    assert field in said


def test_an_unchanged_copy_is_imported(server: Home, export: Path) -> None:
    assert import_account(server.target, ExportFolder(export), PASSPHRASE, ROOMS).rows["posts"] == 6
    assert import_account(server.target, ExportFolder(export), PASSPHRASE, ROOMS).already


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("version", lambda manifest: manifest.update(version=2)),
        ("move", lambda manifest: manifest.update(move=0)),
        ("account.id", lambda manifest: manifest["account"].update(id="x")),
        ("surprise", lambda manifest: manifest.update(surprise=1)),
        ("tables", lambda manifest: manifest["tables"].pop("posts")),
        ("sealing.memory_kib", lambda manifest: manifest["sealing"].update(memory_kib=2**20)),
        ("sealing.iterations", lambda manifest: manifest["sealing"].update(iterations=20)),
        ("sealing.lanes", lambda manifest: manifest["sealing"].update(lanes=16)),
        ("exported_at", lambda manifest: manifest.update(exported_at="2900-01-01T00:00:00Z")),
        ("sha256", lambda manifest: manifest["tables"]["posts"].update(sha256="0" * 64)),
        ("sha256", lambda manifest: manifest["tables"]["posts"].update(rows=5)),
    ],
)
def test_a_changed_manifest_is_named(
    server: Home, export: Path, field: str, change: Callable[[Row], object]
) -> None:
    edit(export, change)
    assert field in refusal(server, export)


def test_rows_of_others_cannot_be_named(server: Home, export: Path) -> None:
    other = fill(server, 6)
    server.database.write_now(lambda rows: rows.execute(accounts.update().values(name="Other")))
    theirs = server.database.read_now(
        lambda rows: rows.scalars(select(posts.c.id).where(posts.c.account_id == other)).first()
    )
    rewrite(export, "attempts", lambda row: row.update(post_id=str(theirs)))
    assert "post_id" in refusal(server, export)
    rewrite(export, "attempts", lambda row: row.update(post_id=str(uuid4())))
    rewrite(export, "posts", lambda row: row.update(id=str(theirs)))
    assert "id: is another account's" in refusal(server, export)


def test_a_long_line_and_a_missing_file_are_refused(server: Home, export: Path) -> None:
    (export / "events.ndjson").write_bytes(b"x" * 3_000_000)
    assert "events.ndjson is too long" in refusal(server, export)
    (export / "events.ndjson").unlink()
    assert "events.ndjson is missing" in refusal(server, export)


@pytest.mark.parametrize(
    ("url", "named"),
    [
        ("https://HOOK.example:443/x", "another webhook has the same address"),
        ("https://hook.example/{number}", "an account has at most 50 webhooks"),
    ],
)
def test_webhooks_follow_the_rules_for_new_ones(server: Home, export: Path, url: str, named: str) -> None:
    file = export / "webhook_subscriptions.ndjson"
    row = json.loads(file.read_text("utf-8"))
    more = [row | {"id": str(uuid4()), "url": url.format(number=number)} for number in range(50)]
    file.write_text("".join(json.dumps(one) + "\n" for one in [row, *more]), "utf-8")
    edit(export, lambda manifest: manifest["tables"]["webhook_subscriptions"].update(rows=51))
    edit(export, lambda manifest: manifest["tables"]["webhook_subscriptions"].update(sha256=digest(file)))
    assert named in refusal(server, export)


def test_files_must_fit_and_be_there(server: Home, export: Path) -> None:
    assert "size_bytes" in refusal(server, export, Rooms(Plan.LOCAL, 3_000))
    next(export.glob("media/*/*")).unlink()
    assert "sha256" in refusal(server, export)


def test_a_wrong_passphrase_is_refused(server: Home, export: Path) -> None:
    assert "passphrase" in refusal(server, export, passphrase="another passphrase")
