"""Moves texts between the composer, drafts and posts, so that each is always in exactly one place on disk."""

import asyncio
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from functools import partial

from sqlalchemy import Connection

from app.database import DatabaseError
from app.workspace.drafts.drafts import (
    Draft,
    DraftKeeper,
    Drafts,
    forget_composed,
    put_new_drafts,
    remove_drafts,
)
from app.workspace.editing.draft import ComposerDraft
from app.workspace.posts.commands import PostCommands
from app.workspace.store.journal import Journal


class TextMoves:
    """Moves by commands, which memory shows before they're written."""

    def __init__(
        self, commands: PostCommands, journal: Journal, composer: DraftKeeper, drafts: Drafts
    ) -> None:
        self._commands, self._journal = commands, journal
        self._composer, self._drafts = composer, drafts
        self._tasks: set[asyncio.Task[bool]] = set()

    def empty_composer(self, scheduled: ComposerDraft, keys: Iterable[str]) -> None:
        """Empty the composer after its draft was scheduled as the posts ``keys``.

        The posts were recorded before. If they can't be written, this write finds none of them, and saves
        the text as a draft instead. So one transaction empties the composer and keeps its text.
        """
        self._drafts.keep_until_posted(self._drafts.new(scheduled), keys)
        self._composer.save(scheduled.emptied())

    async def take_back(self, keys: Sequence[str], content: ComposerDraft, scheduled_from: str) -> bool:
        """Turn new posts that were never sent into a draft, in one transaction; False if that failed.

        ``scheduled_from`` is the ID of the draft that they were made from.
        """
        draft = self._drafts.new(content)
        written = self._commands.take_back(keys, partial(_put_instead, draft=draft, before=scheduled_from))
        if written is None:
            return False
        # In this step, or a pending write of the old draft would restore it next to the new one.
        self._drafts.keep_until_posted(draft, keys)
        self._drafts.forget_posted(scheduled_from)
        # Memory must follow, even if the caller is cancelled.
        task = asyncio.get_running_loop().create_task(self._take_in(written, keys, draft))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await asyncio.shield(task)

    async def close(self) -> None:
        """Wait until memory has followed."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _take_in(self, written: Future[None], keys: Sequence[str], draft: Draft) -> bool:
        try:
            await asyncio.wrap_future(written)
        except DatabaseError:
            if not self._journal.is_unwritten(keys):
                return False  # the journal restores the posts
            self._drafts.keep(draft.content)  # nothing to restore: the posts were never written
        else:
            self._drafts.take_in([draft])
        return True


def _put_instead(connection: Connection, draft: Draft, before: str) -> None:
    """Write a draft, and delete the one whose text it has, which exists if its posts couldn't be written."""
    put_new_drafts(connection, [draft])
    remove_drafts(connection, (before,))
    forget_composed(connection, before)
