"""The export on this computer: its files, and the commands of the service here that write and import it."""

import asyncio
from pathlib import Path
from shutil import rmtree
from typing import Any, Final
from uuid import UUID

from pydantic import BaseModel

from app.disk import private_folder, write_private
from app.language import tr
from app.workspace.homes import programs
from app.workspace.messages import Problem
from app.workspace.threads import in_thread

MANIFEST: Final = "manifest.json"
_FOLDER: Final = "moving"
_AGAIN_EVERY_S: Final = 1.0
_FOLDER_IN_USE: Final = 75  # an exit code of our programs
_BUSY_MOST: Final = 600
"""How often to try again while an interrupted command is still ending."""


class LocalExport:
    """The export in the folder of a home, and the service's data there.

    A command that is interrupted can be repeated. Commands raise Problem and OSError.
    """

    def __init__(self, home_folder: Path) -> None:
        self._data = home_folder / "service"
        self._root = home_folder / _FOLDER

    def folder(self, account: UUID) -> Path:
        """Return the folder with the files of an account."""
        return self._root / str(account)

    async def read_manifest(self, account: UUID) -> tuple[UUID, str]:
        """Return the id of a complete export, and the text of its manifest. Raises OSError."""
        text = await asyncio.to_thread((self.folder(account) / MANIFEST).read_text, "utf-8")
        return _Named.model_validate_json(text).export_id, text

    async def write(self, account: UUID, words: str) -> None:
        """Hand the account over and write its export, whose secrets ``words`` encrypt."""
        await self._run("export", account, words)

    async def take_back(self, account: UUID) -> None:
        """Serve the account here again."""
        await self._run("export", account, "", "--cancel")

    async def take_in(self, account: UUID, words: str) -> None:
        """Import the export."""
        await self._run("import", account, words)

    async def refuse(self, account: UUID) -> None:
        """Never import this export. Raises Problem if the account has arrived."""
        await self._run("import", account, "", "--cancel")

    async def own_account(self) -> UUID:
        """Return the account of the service on this computer."""
        told = await _run("service", "account", "list", "--data", str(self._data))
        accounts: list[dict[str, str]] = told["accounts"]
        if not accounts:
            raise Problem(tr("There is nothing to move yet: this calendar has never been opened."))
        return UUID(accounts[0]["account_id"])

    async def forget(self) -> None:
        """Delete the files."""
        await asyncio.to_thread(rmtree, self._root, ignore_errors=True)

    async def _run(self, name: str, account: UUID, words: str, *more: str) -> None:
        """Run a command on the service's data here. While an interrupted one is still ending, try again."""
        await asyncio.to_thread(private_folder, self._root)
        file = self._root / "passphrase"
        if words:
            await in_thread(write_private, file, words.encode())
            more = (*more, "--passphrase-file", str(file))
        place = "--to" if name == "export" else "--from"
        which = ("--data", str(self._data), "--account", str(account), place, str(self._root))
        try:
            for left in reversed(range(_BUSY_MOST)):
                try:
                    await _run("service", name, *which, *more)
                except programs.ProgramEndedError as ended:
                    if ended.exit_code != _FOLDER_IN_USE or not left:
                        raise
                    await asyncio.sleep(_AGAIN_EVERY_S)
                else:
                    return
        finally:
            await asyncio.to_thread(file.unlink, missing_ok=True)


class _Named(BaseModel):
    """The id in the manifest of an export."""

    export_id: UUID


async def _run(program: str, *arguments: str) -> dict[str, Any]:
    """Run a command; if the caller is cancelled, it's stopped."""
    started: list[programs.Command] = []
    try:
        await in_thread(lambda: started.append(programs.Command(program, *arguments)))
        return await asyncio.to_thread(started[0].answer)
    except asyncio.CancelledError:
        for command in started:
            await in_thread(command.stop)
        raise
