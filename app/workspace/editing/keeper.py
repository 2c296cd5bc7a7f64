"""Saves the draft in the composer."""

from collections.abc import Callable
from typing import Final

from pydantic import TypeAdapter

from app.workspace.core import Core
from app.workspace.editing.draft import ComposerDraft
from app.workspace.editing.kept_soon import KeptSoon
from app.workspace.store.settings import get_setting, put_setting

_NAME: Final = "composer"
_SHAPE: Final[TypeAdapter[ComposerDraft]] = TypeAdapter(ComposerDraft)


class DraftKeeper:
    """The newest draft is in memory immediately and on disk soon.

    ``has_planned`` says whether posts with an idempotency key are already planned.
    """

    def __init__(self, core: Core, kept_soon: KeptSoon, has_planned: Callable[[str], bool]) -> None:
        self._core = core
        self._kept_soon = kept_soon
        self._draft: ComposerDraft | None = None
        self._has_planned = has_planned
        self._is_known = False

    async def load(self) -> ComposerDraft | None:
        """Return the saved draft; None if there is none, or it's already planned. Raises Problem."""
        draft = await self._load()
        if draft is not None and self._is_planned(draft):
            self.save(None)  # permanently: it must not come back when its posts are undone
            return None
        return draft

    def _is_planned(self, draft: ComposerDraft) -> bool:
        """Whether the app was killed after the posts were kept, and before the draft was forgotten.

        Which accounts it was for may not be kept: they were chosen in the last moment.
        """
        return self._has_planned(draft.idempotency_key(""))

    async def _load(self) -> ComposerDraft | None:
        if not self._is_known:
            kept = await self._core.read(lambda c: get_setting(c, _NAME, _SHAPE))
            if not self._is_known:
                self._draft, self._is_known = kept, True
        return self._draft

    def save(self, draft: ComposerDraft | None) -> None:
        """Save a draft; None deletes it. Returns immediately."""
        self._draft, self._is_known = draft, True
        self._kept_soon.put(_NAME, lambda c: put_setting(c, _NAME, draft, _SHAPE))
