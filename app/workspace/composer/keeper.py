"""Keeps what is being written."""

from typing import Final

from pydantic import TypeAdapter

from app.database import DatabaseError
from app.workspace.composer.draft import ComposerDraft
from app.workspace.composer.kept_soon import KeptSoon
from app.workspace.core import Core
from app.workspace.problems import problem_of
from app.workspace.store.settings import get_setting, put_setting

_NAME: Final = "composer"
_SHAPE: Final[TypeAdapter[ComposerDraft]] = TypeAdapter(ComposerDraft)


class DraftKeeper:
    """The newest draft is in memory at once and on disk soon."""

    def __init__(self, core: Core, kept_soon: KeptSoon) -> None:
        self._core = core
        self._kept_soon = kept_soon
        self._draft: ComposerDraft | None = None
        self._is_known = False

    async def load(self) -> ComposerDraft | None:
        """What was being written; None for nothing. Raises Problem."""
        if not self._is_known:
            try:
                kept = await self._core.database.read(lambda c: get_setting(c, _NAME, _SHAPE))
            except DatabaseError as error:
                raise problem_of(error) from error
            if not self._is_known:
                self._draft, self._is_known = kept, True
        return self._draft

    def save(self, draft: ComposerDraft | None) -> None:
        """Keeps a draft; None forgets it. Returns at once."""
        self._draft, self._is_known = draft, True
        self._kept_soon.put(_NAME, lambda c: put_setting(c, _NAME, draft, _SHAPE))
