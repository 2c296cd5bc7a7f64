"""People at an app: they plan, move, cancel, take back, write, and lose their network."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Final

from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.workspace.changes import Changes
from app.workspace.clock import Pace, to_millis
from app.workspace.editing.draft import ComposerDraft
from app.workspace.messages import Message, Problem
from app.workspace.posts.new import NewPost
from app.workspace.posts.planned import PlannedPost, SyncState
from app.workspace.workspace import Workspace
from tests.simulation.lives import START, Life
from tests.simulation.workspace.book import MARKER, AppBook, Meant, State, marker, number_of
from tests.simulation.workspace.plan import Edit, Verb
from tests.simulation.workspace.programs import ground

_HOUR_MS: Final = 3_600_000
_START_MS: Final = to_millis(START)
_MANY_LOST: Final = re.compile(r"The service no longer has (\d+) posts you scheduled here\.")
_BETWEEN_LOOKS_S: Final = Pace().second_look - 5.0  # less by the time that a list takes

Breached = Callable[[str, int, str], None]
"""Called with a rule, the number of a post or draft, and what was seen."""


class Person:
    """Somebody at one app, over all of its runs."""

    def __init__(
        self, slot: int, books: Mapping[int, AppBook], now: Callable[[], float], breach: Breached
    ) -> None:
        self.slot = slot
        self.book = books[slot]
        self._other = next(book for other, book in books.items() if other != slot)
        self._now = now
        self._breach = breach
        self._is_commanding = False
        self._has_composer = False
        """Whether the composer was looked at since the app was opened."""
        self._said: list[Message] = []

    def sit_down(self, workspace: Workspace, life: Life) -> None:
        """The app has been opened: looks what is there of what was wanted and typed.

        What a dead app still tells, because its calls are ended one after the other, nobody sees.
        """
        self._has_composer = False
        self._find_calls(workspace)
        there = posts_in(workspace)
        for number in self.book.meant:
            self.book.find(number, State.of(there[number]) if number in there else None)
        steps = {entry.id for entry in workspace.history}
        self.book.steps = {one: edits for one, edits in self.book.steps.items() if one in steps}
        for number, typed in self.book.drafts.items():
            found = workspace.drafts.get(f"draft-{self.slot}-{number}")
            content = found.content if found else None
            if content not in typed.possible():
                self._breach("typed", number, f"draft {content} instead of one of {typed.possible()}")
            typed.found(content)
        workspace.listen(lambda changes: None if life.is_dead else self._look(workspace, changes))
        workspace.listen_messages(lambda message: None if life.is_dead else self._hear(message))
        self._look(workspace, Changes(reset=True))

    def _find_calls(self, workspace: Workspace) -> None:
        """Record calls that the app had begun when it ended, and can't know that they never left it."""
        mirror = workspace._core.mirror
        for key, wish in mirror.intentions.items():
            service_id = mirror.service_id(key)
            if service_id is not None:
                begun = Counter(State(0 if one.cancelled else one.at, one.cancelled) for one in wish.sent)
                self.book.remember(str(service_id), begun, self._now())

    async def look_at_composer(self, workspace: Workspace) -> None:
        """What was being written must still be there, or be planned."""
        try:
            found = await workspace.load_composer()
        except Problem:
            return
        if found is not None and found.is_empty:
            found = None  # as after scheduling
        typed = self.book.composer
        planned = [one for one in typed.possible() if one is not None and self._is_planned(one)]
        if found not in typed.possible() and not (found is None and planned):
            self._breach("typed", 0, f"composer {found} instead of one of {typed.possible()}")
        typed.found(found)
        self._has_composer = True

    def _is_planned(self, draft: ComposerDraft) -> bool:
        return bool(self.book.meant.get(number_of(draft.text) or 0))

    def do(self, workspace: Workspace, edit: Edit) -> None:
        """Does one edit, and notes what changed by it."""
        before = {number: (post, State.of(post)) for number, post in posts_in(workspace).items()}
        steps = {entry.id for entry in workspace.history}
        last = next((entry for entry in workspace.history if entry.done), None)
        known = {number: several[-1][1] for number, several in self.book.shown.items()}
        self._said, self._is_commanding = [], True
        try:
            self._act(workspace, edit)
        except Problem:
            pass
        finally:
            self._is_commanding = False
        posts = posts_in(workspace)
        after = {number: State.of(post) for number, post in posts.items()}
        changed = {
            number: (before[number][1] if number in before else replaced_none(state), state)
            for number, state in after.items()
            if number not in before or not before[number][1].same(state)
        }
        for number, (_, state) in changed.items():
            if posts[number].sync is SyncState.SYNCED and number in known and known[number].same(state):
                self.book.take_back(number)
            else:
                self.book.meant[number].append(Meant(state, self._now()))
        if fresh := [entry.id for entry in workspace.history if entry.id not in steps]:
            self.book.steps[fresh[0]] = changed
        if edit.verb is Verb.UNDO and last is not None:
            twice = _shown_twice(workspace.posts)  # the step is that of one of both
            seen = {number: one for number, one in before.items() if number not in twice}
            self._check_undo(last.id, seen, after)

    def _check_undo(
        self, step: int, before: Mapping[int, tuple[PlannedPost, State]], after: Mapping[int, State]
    ) -> None:
        named = {int(found) for one in self._said for found in MARKER.findall(f"{one.text} {one.details}")}
        for number, (was, made) in self.book.steps.get(step, {}).items():
            if number in named or number not in before or not before[number][1].same(made):
                continue
            if before[number][0].sync is SyncState.CONFLICT:
                continue
            if number not in after or not after[number].same(was):
                self._breach("undone", number, f"{after.get(number)} after undo instead of {was}")

    def _act(self, workspace: Workspace, edit: Edit) -> None:
        there = posts_in(workspace)
        at = _START_MS + edit.hours * _HOUR_MS
        known = [there[number] for number in edit.posts if number in there]
        times = {post.key: at + index * 60_000 for index, post in enumerate(known)}
        match edit.verb:
            case Verb.PLAN:
                workspace.plan([_new(number, at + number * 1_000) for number in edit.posts])
            case Verb.REPLACE:
                if known:
                    workspace.replace(known[0].key, [_new(edit.posts[1], at)])
            case Verb.MOVE:
                workspace.move(times)
            case Verb.CANCEL:
                workspace.cancel(times)
            case Verb.RESUME:
                workspace.schedule_again(times)
            case Verb.UNDO:
                workspace.undo()
            case Verb.REDO:
                workspace.redo()
            case Verb.CHOOSE:
                self.choose(workspace, here=edit.hours % 2 == 0)
            case Verb.TYPE | Verb.DISCARD | Verb.COMPOSE | Verb.SCHEDULE:
                self._write(workspace, edit, at)

    def choose(self, workspace: Workspace, *, here: bool) -> None:
        """Decides every conflict; the choice is a new wish."""
        for conflict in workspace.conflicts:
            number = number_of(conflict.here.headline)
            (workspace.keep_here if here else workspace.keep_there)([conflict.key])
            if number is not None:
                chosen = State.of(conflict.here if here else conflict.there)
                self.book.meant[number].append(Meant(chosen, self._now()))
                self._see(self._other.meant[number], State.of(conflict.there), is_sure=True)
                if here:
                    self.book.rebase(number, State.of(conflict.here), State.of(conflict.there))

    def _write(self, workspace: Workspace, edit: Edit, at: int) -> None:
        draft_id = f"draft-{self.slot}-{edit.draft}"
        match edit.verb:
            case Verb.TYPE:
                typed = ComposerDraft(text=f"Typed {edit.number}", draft_id=draft_id)
                workspace.drafts.keep(typed)
                self.book.drafts[edit.draft].versions.append(typed)
            case Verb.DISCARD:
                workspace.drafts.remove([draft_id])
                self.book.drafts[edit.draft].versions.append(None)
            case Verb.COMPOSE:
                typed = ComposerDraft(text=f"Written {edit.number}", draft_id=f"written-{edit.number}")
                workspace.save_composer(typed)
                self.book.composer.versions.append(typed)
            case Verb.SCHEDULE:
                self._schedule(workspace, edit.posts[0], at)

    def _schedule(self, workspace: Workspace, number: int, at: int) -> None:
        """Presses the button twice: it's one post."""
        draft = ComposerDraft(text=f"Linen {marker(number)}", draft_id=f"composed-{number}")
        workspace.save_composer(draft)
        key = draft.idempotency_key(ground().account_key)
        for _ in range(2):
            keys = workspace.plan([replace(_new(number, at), idempotency_key=key)])
        workspace.empty_composer(draft, keys)
        self.book.composer.versions += [draft, None]

    def _hear(self, message: Message) -> None:
        self._said.append(message)
        self._check_loss(message)
        is_choice = message.action is not None and message.action.verb == "compare"
        if self._is_commanding or message.kind == "info" or is_choice:
            return
        numbers = {int(found) for found in MARKER.findall(f"{message.text} {message.details}")}
        for number, several in self.book.meant.items():
            for meant in several:
                is_kept = meant.kept and not meant.taken_back
                if number in numbers or (not numbers and not is_kept):
                    meant.excused, meant.taken_back = True, False

    def _check_loss(self, message: Message) -> None:
        """The service loses nothing here, so many posts are only gone if two lists were empty."""
        lost = _MANY_LOST.match(message.text)
        if lost and not self.book.may_believe_empty(_BETWEEN_LOOKS_S):
            self._breach("salvaged", int(lost[1]), "this many posts were taken for lost after one list")

    def _look(self, workspace: Workspace, changes: Changes) -> None:
        if changes.posts or changes.reset:
            self._check_conflicts(workspace)
            for number, post in posts_in(workspace, None if changes.reset else changes.posts).items():
                if post.sync is SyncState.SYNCED:
                    self.book.show(number, State.of(post), self._now())
                    self._confirm(number, State.of(post))
        if (changes.sync or changes.undo or changes.reset) and not workspace.sync.saving:
            self.book.keep()
        if workspace.is_writing_kept and not self._is_commanding:
            composer = (self.book.composer,) if self._has_composer else ()
            for typed in (*self.book.drafts.values(), *composer):
                typed.versions, typed.kept = typed.versions[-1:], 0

    def _check_conflicts(self, workspace: Workspace) -> None:
        """Somebody else must have wanted something of the post."""
        for conflict in workspace.conflicts:
            number = number_of(conflict.here.headline)
            if number is not None and not self._other.meant.get(number):
                self._breach("mistaken", number, f"in conflict with {State.of(conflict.there)}")

    def _confirm(self, number: int, state: State) -> None:
        # An older one, too, if those after it weren't done, as was said.
        own = next((meant for meant in self.book.candidates(number) if meant.state.same(state)), None)
        if own is not None and own.confirmed_at is None and not self._is_commanding:
            own.confirmed_at = self._now()
        self._see(self._other.meant[number], state)

    def _see(self, others: Iterable[Meant], state: State, *, is_sure: bool = False) -> None:
        for meant in others:
            is_confirmed = meant.confirmed_at is not None or is_sure
            if meant.state.same(state) and meant.seen is None and is_confirmed:
                meant.seen = self._now()
                is_sure = False  # one of these brought it about; another may still be on its way


def replaced_none(state: State) -> State:
    """What undoing gives a post that was planned."""
    return State(state.at, cancelled=True)


def posts_in(workspace: Workspace, keys: Iterable[str] | None = None) -> dict[int, PlannedPost]:
    """The posts that people know, by number.

    While the answer to its creation is missing, a post is shown twice: as it was planned here, and as the
    service tells. People use the latter.
    """
    posts = workspace.posts
    unsent = workspace._core.mirror.unsent
    found = posts if keys is None else [post for key in keys if (post := posts.get(key)) is not None]
    there: dict[int, PlannedPost] = {}
    for post in found:
        number = number_of(post.headline)
        if number is not None and not (post.key in unsent and (number in there or _has_twin(posts, post))):
            there[number] = post
    return there


def _shown_twice(posts: Iterable[PlannedPost]) -> set[int]:
    """Posts that the service refused, though an earlier call created them: those are shown, too."""
    count = Counter(number_of(post.headline) for post in posts)
    return {number for number, shown in count.items() if number is not None and shown > 1}


def _has_twin(posts: Iterable[PlannedPost], unsent: PlannedPost) -> bool:
    return any(post.headline == unsent.headline and post.key != unsent.key for post in posts)


def _new(number: int, at: int) -> NewPost:
    return NewPost(
        ground().account_key,
        PostingPlatform.X,
        PostType.TEXT,
        f"Linen {marker(number)} in the window",
        at=at,
        idempotency_key=f"key-{number}",
    )


def is_lost_here(post: PlannedPost) -> bool:
    """Whether a post is only here: the service refused it, or it was cancelled before it was sent."""
    return post.status in (PostStatus.CANCELLED, PostStatus.FAILED)
