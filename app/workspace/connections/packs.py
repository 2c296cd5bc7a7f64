"""Setup packs: files with the apps of an agency, a club or a school, made and used at the service."""

import asyncio
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from app.client import ClientError, ValidationRefused
from app.contract.enums import ConnectionPlatform
from app.contract.limits import PACK_BYTES_MAX, PACK_PASSPHRASE_MIN
from app.contract.packs import MakePack, PackSummary, UsePack
from app.contract.platform_setup import PlatformSetup
from app.disk import write_whole
from app.language import tr
from app.platforms.rules.prices import PRICES, Prices
from app.workspace.core import Core
from app.workspace.messages import Problem
from app.workspace.problems import problem_of_request

ENDING: Final = "kalends-pack"
"""Extension of the files, without a dot."""

_WRONG: Final = {
    "not_a_pack": tr("This file isn't a setup pack of Kalends."),
    "newer_pack": tr("A newer version of Kalends made this pack. Update Kalends to use it."),
    "pack_too_long": tr("This file is too large for a setup pack."),
    "pack_changed": tr("This pack was changed after it was signed. Ask its maker for a new copy."),
    "wrong_passphrase": tr("That isn't the passphrase of this pack. Nothing was set up."),
    "passphrase_missing": tr("Enter the passphrase that you got from the pack's maker."),
}
"""By the type of the service's issue, which is also the kind of the Problem."""
_FIELDS: Final = {
    "maker": tr("Enter a name by which members know you, in at most 100 characters."),
    "note": tr("Shorten the note to 500 characters."),
    "passphrase": tr("Use at least {count} characters.", count=PACK_PASSPHRASE_MIN),
    "platforms": tr("Choose at least one platform."),
}
"""By the field of a request, which is also the kind of the Problem."""


@dataclass(frozen=True, slots=True)
class OpenedPack:
    """A pack that was read but not used."""

    content: str
    summary: PackSummary


def prices_of(platform: ConnectionPlatform) -> Prices | None:
    """Return what a platform charges the app's owner; None if nothing."""
    return PRICES.get(platform.value)


class Packs:
    """Nothing is stored here; every coroutine asks the service and raises Problem."""

    def __init__(self, core: Core, offers: Callable[[], Collection[str]]) -> None:
        self._core, self._offers = core, offers

    @property
    def offered(self) -> bool:
        """Whether the service makes and takes packs."""
        return "packs" in self._offers()

    async def open(self, file: Path) -> OpenedPack:
        """Read a pack and have the service check it. Nothing is stored."""
        try:
            raw = await asyncio.to_thread(_read, file)
        except OSError as error:
            raise Problem(_unreadable(file, error)) from error
        if len(raw) > PACK_BYTES_MAX:
            raise _wrong("pack_too_long")
        if not raw:
            raise _wrong("not_a_pack")
        content = raw.decode("latin-1")
        try:
            return OpenedPack(content, await self._core.client.read_pack(content))
        except ClientError as error:
            raise _problem(error) from error

    async def use(
        self, pack: OpenedPack, platforms: Collection[ConnectionPlatform], passphrase: str
    ) -> list[PlatformSetup]:
        """Set up platforms with the apps of a pack.

        The Problem's kind is ``wrong_passphrase`` or ``passphrase_missing`` if that's the reason.
        """
        given: dict[str, object] = {"content": pack.content, "platforms": list(platforms)}
        if passphrase:
            given["passphrase"] = passphrase
        try:
            return await self._core.client.use_pack(UsePack.model_validate(given))
        except ValidationError as error:
            raise _wrong("wrong_passphrase" if _field(error) == "passphrase" else "not_a_pack") from None
        except ClientError as error:
            raise _problem(error) from error

    async def make(
        self,
        file: Path,
        maker: str,
        note: str,
        platforms: Collection[ConnectionPlatform],
        passphrase: str,
    ) -> str:
        """Make a pack, save it as ``file``, and return the fingerprint of its key.

        An empty passphrase leaves secrets out. The Problem's kind is the name of a wrong argument.
        """
        wanted = checked(maker, note, platforms, passphrase)
        try:
            made = await self._core.client.make_pack(wanted)
        except ClientError as error:
            raise _problem(error) from error
        try:
            await asyncio.to_thread(write_whole, file, made.content.encode("latin-1"))
        except (OSError, UnicodeEncodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else ""
            text = tr("The pack couldn't be saved as {file}.", file=file.name)
            raise Problem(text, details=reason or str(error)) from error
        return made.fingerprint


def checked(maker: str, note: str, platforms: Collection[ConnectionPlatform], passphrase: str) -> MakePack:
    """Return the request for a pack. Raises Problem, whose kind is the name of a wrong argument."""
    given: dict[str, object] = {"maker": maker.strip(), "note": note.strip(), "platforms": list(platforms)}
    if passphrase:
        given["passphrase"] = passphrase
    try:
        return MakePack.model_validate(given)
    except ValidationError as error:
        field = _field(error)
        raise Problem(_FIELDS.get(field, _FIELDS["maker"]), kind=field) from None


def _field(error: ValidationError) -> str:
    return str(error.errors(include_input=False, include_url=False)[0]["loc"][0])


def _read(file: Path) -> bytes:
    """Read one byte more than a pack may have."""
    with file.open("rb") as opened:
        return opened.read(PACK_BYTES_MAX + 1)


def _unreadable(file: Path, error: OSError) -> str:
    return tr(
        "{file} can't be read: {reason}.", file=file.name, reason=error.strerror or type(error).__name__
    )


def _wrong(kind: str) -> Problem:
    return Problem(_WRONG[kind], kind=kind)


def _problem(error: ClientError) -> Problem:
    if isinstance(error, ValidationRefused):
        kind = next((issue.type for issue in error.issues if issue.type in _WRONG), None)
        if kind is not None:
            return _wrong(kind)
        field = next((issue.field for issue in error.issues if issue.field in _FIELDS), None)
        if field is not None and field != "platforms":
            return Problem(_FIELDS[field], kind=field)
    return problem_of_request(error)
