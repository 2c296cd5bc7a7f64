"""PostgreSQL for tests and measurements: a temporary cluster.

It only listens on a socket in a temporary folder. Root runs it as the user ``postgres``, because it refuses
root. Its programs are searched on the PATH and in Debian's folder.
"""

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import psutil
import psycopg
from psycopg import sql

from app.database import Migrations
from app.database.postgresql import postgresql_engine, postgresql_url

_DEBIAN = Path("/usr/lib/postgresql")
_SYSTEM_USER = "postgres"
_ROLE = "kalends"
_START_S = 60
_PREFIX = "kalends-pg-"
_LEFT_AFTER_S = 3600
_VERSIONS = "alembic_version"
_LEAVING_TRIES, _LEAVING_S = 10, 0.005
_FAST = ("fsync=off", "full_page_writes=off")
_ALWAYS = ("listen_addresses=", "max_connections=200", "timezone=UTC")


class NoPostgresError(Exception):
    """PostgreSQL can't be started on this machine; the message says why."""


@dataclass
class Cluster:
    """A running PostgreSQL."""

    folder: Path
    programs: Path
    settings: Sequence[str]
    _numbers: Iterator[int] = field(default_factory=lambda: count(1), init=False)
    _templates: dict[Path, str] = field(default_factory=dict, init=False)
    _shape: object = field(default=None, init=False)

    def url(self, database: str) -> str:
        """Return the URL of one of its databases."""
        return f"postgresql://{_ROLE}@/{database}?host={self.folder}"

    @property
    def socket(self) -> Path:
        """The socket it listens on."""
        return self.folder / ".s.PGSQL.5432"

    def url_through(self, port: int, url: str) -> str:
        """Return the URL of the same database behind a port of 127.0.0.1."""
        return f"postgresql://{_ROLE}@127.0.0.1:{port}/{postgresql_url(url).database}"

    def create_database(self, migrations: Migrations | None = None) -> str:
        """Create a database, empty or migrated to the newest version, and return its URL."""
        template = "template0" if migrations is None else self._template(migrations)
        return self.url(self._create(template))

    def clear_database(self, url: str) -> bool:
        """Reset a migrated database, which takes a tenth of the time of creating one.

        Returns:
            Whether that was possible: not while it's in use, and not after its schema has changed.
        """
        with psycopg.connect(url, autocommit=True) as connection:
            if not _is_alone(connection) or _shape(connection) != self._shape:
                return False
            connection.execute("SET session_replication_role = replica")  # in any order, despite foreign keys
            with connection.transaction():
                for table in _filled(connection) - {_VERSIONS}:
                    connection.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(table)))
                connection.execute("SELECT setval(oid::regclass, 1, false) FROM pg_class WHERE relkind = 'S'")
        return True

    def drop_database(self, url: str) -> None:
        """Drop a database, even if it's in use."""
        name = postgresql_url(url).database or ""
        self._execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))

    def start(self) -> None:
        """Start it and wait until it accepts connections."""
        options = " ".join(f"-c {setting}" for setting in (*_ALWAYS, *self.settings))
        options = f"-k {self.folder} {options}"
        self._control("start", "-w", "-t", str(_START_S), "-l", str(self.folder / "log"), "-o", options)

    def stop(self, how: str = "fast") -> None:
        """Stop it; ``immediate`` is like a power failure."""
        self._control("stop", "-w", "-m", how)

    def restart(self, how: str = "fast") -> None:
        """Stop it and start it again, like ``pg_ctl restart``."""
        self.stop(how)
        self.start()

    @property
    def is_running(self) -> bool:
        """Whether its process runs."""
        return _is_running(self.folder / "data" / "postmaster.pid")

    def catch_up(self, primary: "Cluster") -> None:
        """Wait until a standby has everything that its primary has committed."""
        with psycopg.connect(primary.url("postgres")) as there, psycopg.connect(self.url("postgres")) as here:
            sent = there.execute("SELECT pg_current_wal_insert_lsn()").fetchone()
            while here.execute("SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn", sent).fetchone() != (True,):
                time.sleep(_LEAVING_S)

    def leave_primary(self) -> None:
        """Receive nothing more, like a standby that lags behind."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET primary_conninfo = ''")
            connection.execute("SELECT pg_reload_conf()")
            while connection.execute("SELECT 1 FROM pg_stat_wal_receiver").fetchone():
                time.sleep(_LEAVING_S)

    def promote(self) -> None:
        """Make a standby the primary."""
        self._control("promote", "-w")

    def _control(self, *arguments: str) -> None:
        _run(self.folder, self.programs / "pg_ctl", "-D", str(self.folder / "data"), *arguments)

    def _template(self, migrations: Migrations) -> str:
        if migrations.folder not in self._templates:
            name = self._create("template0")
            engine = postgresql_engine(postgresql_url(self.url(name)))
            migrations.upgrade(engine, "the template")
            engine.dispose()
            self._templates[migrations.folder] = name
            with psycopg.connect(self.url(name), autocommit=True) as connection:
                # Rows that migrations leave would have to be put back.
                self._shape = _shape(connection) if _filled(connection) == {_VERSIONS} else None
        return self._templates[migrations.folder]

    def _create(self, template: str) -> str:
        name = f"kalends_{next(self._numbers)}"
        named = sql.Identifier(name), sql.Identifier(template)
        self._execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(*named))
        return name

    def _execute(self, statement: sql.Composed) -> None:
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(statement)


def _is_alone(connection: psycopg.Connection) -> bool:
    """Whether there are no other connections; those just closed may still be listed."""
    others = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    for _ in range(_LEAVING_TRIES):
        if connection.execute(others).fetchone() is None:
            return True
        time.sleep(_LEAVING_S)
    return False


def _shape(connection: psycopg.Connection) -> object:
    """Return a value that changes with every table, index, trigger or column."""
    return [
        connection.execute(
            sql.SQL("SELECT count(*), sum(xmin::text::bigint) FROM {} WHERE {} >= 16384").format(
                sql.Identifier(catalogue), sql.Identifier(of)
            )
        ).fetchone()
        for catalogue, of in (
            ("pg_class", "oid"),
            ("pg_attribute", "attrelid"),
            ("pg_constraint", "oid"),
            ("pg_trigger", "oid"),
            ("pg_proc", "oid"),
        )
    ]


def _filled(connection: psycopg.Connection) -> set[str]:
    """Return the tables that contain rows."""
    tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
    each = sql.SQL(" UNION ALL ").join(
        sql.SQL("SELECT {} WHERE EXISTS (SELECT 1 FROM {})").format(sql.Literal(table), sql.Identifier(table))
        for (table,) in tables
    )
    return {table for (table,) in connection.execute(each).fetchall()}


@contextlib.contextmanager
def running_cluster(*, durable: bool = True) -> Iterator[Cluster]:
    """Run a temporary cluster. Raises NoPostgresError.

    Args:
        durable: Whether to flush commits to disk, as by default; tests don't.
    """
    programs = _find_programs()
    remove_left_clusters()
    with _running(programs, () if durable else _FAST, _make) as cluster:
        yield cluster


@contextlib.contextmanager
def running_standby(primary: Cluster) -> Iterator[Cluster]:
    """Run a standby that replicates asynchronously. Raises NoPostgresError."""

    def copy(cluster: Cluster) -> None:
        data, program = cluster.folder / "data", cluster.programs / "pg_basebackup"
        form = ("--write-recovery-conf", "--checkpoint=fast", "--no-sync")
        _run(cluster.folder, program, "-D", str(data), "-h", str(primary.folder), "-U", _ROLE, *form)

    with _running(primary.programs, primary.settings, copy) as cluster:
        yield cluster


@contextlib.contextmanager
def _running(programs: Path, settings: Sequence[str], make: Callable[[Cluster], None]) -> Iterator[Cluster]:
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, _SYSTEM_USER, _SYSTEM_USER)
        cluster = Cluster(folder, programs, settings)
        make(cluster)
        cluster.start()
        try:
            yield cluster
        finally:
            if cluster.is_running:
                cluster.stop("immediate")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def remove_left_clusters() -> None:
    """Remove the folders of killed runs, 70 MB and more each. Those of the last hour may still be in use."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):  # another run may remove it as well, or it's another user's
            is_old = time.time() - folder.stat().st_mtime > _LEFT_AFTER_S
            if is_old and not _is_running(folder / "data" / "postmaster.pid"):
                shutil.rmtree(folder, ignore_errors=True)


def _is_running(pid_file: Path) -> bool:
    try:
        process = int(pid_file.read_text(encoding="utf-8").split("\n", 1)[0])
    except (FileNotFoundError, ValueError):
        return False
    return psutil.pid_exists(process)


def _make(cluster: Cluster) -> None:
    data = str(cluster.folder / "data")
    form = ("--encoding=UTF8", "--locale=C.UTF-8", "--auth=trust", "--no-sync", "--no-instructions")
    _run(cluster.folder, cluster.programs / "initdb", "-D", data, "-U", _ROLE, *form)


def _run(folder: Path, program: Path, *arguments: str) -> None:
    """Run one of PostgreSQL's programs. Its children keep no pipe of ours open."""
    user = _SYSTEM_USER if os.geteuid() == 0 else None
    groups: list[str] | None = [] if user else None
    with tempfile.TemporaryFile() as output:
        command = [str(program), *arguments]
        ended = subprocess.run(
            command,
            cwd=folder,
            user=user,
            group=user,
            extra_groups=groups,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            check=False,
        )
        output.seek(0)
        if ended.returncode:
            words = output.read().decode(errors="replace")
            raise NoPostgresError(f"{program.name} ended with {ended.returncode}: {words}")


def _find_programs() -> Path:
    """Return the folder of the newest installed version."""
    if os.name != "posix":
        raise NoPostgresError("PostgreSQL is started on Unix alone")
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).resolve().parent
    versions = [path.parent for path in _DEBIAN.glob("*/bin/initdb")]
    if not versions:
        raise NoPostgresError(f"PostgreSQL's initdb is neither on PATH nor under {_DEBIAN}")
    return max(versions, key=lambda path: int(re.sub(r"\D", "", path.parent.name) or 0))
