"""Where exports wait that arrive or leave by the companion API, and the work on them in the background.

Each account has a folder for its export, a lock held by the process that works on it, and a file that says
why the last work failed. If the process ends, the lock is free again, and the next call continues.
"""

import shutil
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import UUID

import structlog
from filelock import FileLock, Timeout

from app.database import DatabaseError
from app.disk import private_folder, write_private
from app.service.problems import CommandProblem
from app.service.transfer.manifest import ExportFolder

_log = structlog.get_logger(__name__)

_KEPT_S: Final = 7 * 86_400
"""How long the files of an abandoned export are kept, in s."""
_FAILED: Final = "Something went wrong on the service. Try again, or look at its log."


class NotOfferedProblem(CommandProblem):
    """No export was offered with the caller's key."""


@dataclass(frozen=True)
class VisitorFolder:
    """What is known of the export that one account brings or takes, in files next to each other. Blocking."""

    root: Path
    account_id: UUID

    @property
    def export(self) -> ExportFolder:
        return ExportFolder(self.root / str(self.account_id))

    @property
    def _problem(self) -> Path:
        return self.root / f"{self.account_id}.problem"

    @property
    def _lock(self) -> FileLock:
        return FileLock(self.root / f"{self.account_id}.lock")

    def is_busy(self) -> bool:
        """Whether a process is working on the export."""
        if not self.root.exists():
            return False
        lock = self._lock
        try:
            lock.acquire(timeout=0)
        except Timeout:
            return True
        lock.release()
        return False

    def problem(self) -> str | None:
        """Return why the last work failed; None if it didn't."""
        try:
            return self._problem.read_text("utf-8")
        except FileNotFoundError:
            return None

    def work(self, work: Callable[[], object]) -> None:
        """Do ``work`` in the background, unless a process is working on the export already.

        It ends with this process. Returns once the export is locked, so the next question finds it busy.
        """
        private_folder(self.root)
        begun = threading.Event()
        threading.Thread(target=self._run, args=(work, begun), name="moving", daemon=True).start()
        begun.wait()

    def _run(self, work: Callable[[], object], begun: threading.Event) -> None:
        lock = self._lock
        try:
            lock.acquire(timeout=0)
        except Timeout:
            return
        finally:
            begun.set()
        try:
            self._problem.unlink(missing_ok=True)
            work()
        except (CommandProblem, DatabaseError, OSError) as error:
            self._note(str(error) if isinstance(error, CommandProblem) else _FAILED, error)
        except Exception as error:
            self._note(_FAILED, error)
            raise
        finally:
            lock.release()

    def _note(self, problem: str, error: Exception) -> None:
        _log.warning("moving an account stopped", account_id=str(self.account_id), reason=repr(error))
        with suppress(OSError):
            write_private(self._problem, problem.encode())

    def clear(self) -> None:
        """Delete the export. Raises CommandProblem while a process is working on it."""
        if not self.root.exists():
            return
        lock = self._lock
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise CommandProblem(
                "The service is still working on this calendar. Try again in a moment."
            ) from None
        try:
            shutil.rmtree(self.export.root, ignore_errors=True)
            self._problem.unlink(missing_ok=True)
        finally:
            lock.release()


def forget_abandoned(root: Path) -> None:
    """Delete exports that nobody has touched for a week. Blocking."""
    for folder in root.glob("*-*"):
        if folder.is_dir() and folder.stat().st_mtime < time.time() - _KEPT_S:
            with suppress(CommandProblem, ValueError):
                VisitorFolder(root, UUID(folder.name)).clear()
