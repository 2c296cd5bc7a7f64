"""Texts that couldn't be written to disk, for saving them elsewhere."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app.disk import write_whole
from app.workspace.editing.draft import ComposerDraft
from app.workspace.problems import problem_of
from app.workspace.store.loading import PostRow


@dataclass(frozen=True, slots=True)
class UnsavedText:
    """A text with its title, the keys of its accounts, and its time in ms since 1970 UTC, if it has one."""

    text: str
    title: str
    account_keys: tuple[str, ...]
    at: int | None


def texts_of_draft(draft: ComposerDraft) -> Iterator[UnsavedText]:
    """Yield the shared text of a draft, and each version that differs."""
    own = draft.texts.keys() | draft.titles.keys()
    shared = tuple(key for key in draft.account_keys if key not in own)
    versions = [(shared, draft.text, draft.title)]
    versions += [
        ((key,), draft.texts.get(key, draft.text), draft.titles.get(key, draft.title)) for key in sorted(own)
    ]
    for accounts, text, title in versions:
        if text.strip() or title.strip():
            yield UnsavedText(text, title, accounts, draft.at)


def text_of_post(row: PostRow) -> UnsavedText:
    """Return the text of a new post."""
    return UnsavedText(row.description or "", row.title or "", (row.account_key,), row.at)


async def save_texts(file: Path, content: str) -> None:
    """Write a text file, whole or not at all. Raises Problem."""
    try:
        await asyncio.to_thread(write_whole, file, content.encode("utf-8", "replace"))
    except OSError as error:
        raise problem_of(error) from error
