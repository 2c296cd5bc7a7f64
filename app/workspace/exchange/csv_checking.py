"""Checks every row of a table before the import, and reports errors by cell. Pure."""

import hashlib
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from types import MappingProxyType
from typing import Final, Protocol
from urllib.parse import urlsplit

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from app.contract.enums import PostingPlatform, PostType
from app.contract.media import AttachFromUrl
from app.contract.media_kinds import KINDS
from app.contract.posts import CreatePost
from app.language import number, tr
from app.platforms.cards import is_by_hand, name_of, offers_by_hand
from app.workspace.accounts.account import Account
from app.workspace.clock import LAST_MOMENT, from_millis
from app.workspace.editing.boards import Board
from app.workspace.exchange.csv_cells import AccountNames, Instants, Issue, UnknownAccountError
from app.workspace.exchange.csv_columns import Choices, Column
from app.workspace.exchange.csv_table import Record, Table
from app.workspace.posts.new import NewPost
from app.workspace.rules import MediaFacts, check

_FIELDS: Final = MappingProxyType(
    {
        "description": Column.TEXT,
        "title": Column.TITLE,
        "media_storage_path": Column.MEDIA,
        "post_type": Column.MEDIA,
        "scheduled_at": Column.DATE,
        "pinterest_board_id": Column.BOARD,
        "pinterest_link": Column.LINK,
    }
)
_ENDINGS: Final = MappingProxyType({end: kind.post_type for kind in KINDS for end in kind.extensions})
_PLACEHOLDER: Final = "-"
"""Storage path of a file that isn't stored yet."""
_SHOWN_MAX: Final = 60
_YES: Final = frozenset({"yes", "y", "true", "1", "x", "on", "by hand", "ja", "j", "wahr"})
_NO: Final = frozenset({"", "no", "n", "false", "0", "off", "nein", "falsch"})
_NO_BOARD: Final = tr("“{board}” isn't a board of {account}.")
_SCHEDULED: Final = tr("This post is already scheduled and won't be created again.")
_CANCELLED: Final = tr(
    "This post was cancelled and won't be created again. In the calendar, “Schedule again” brings it back."
)
_SEVERAL_BOARDS: Final = tr("{account} has several boards named “{board}”.")


class Keys(Protocol):
    """A set of keys."""

    def __contains__(self, key: str, /) -> bool: ...


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A file named in a cell; ``problem`` says why it can't be published, as a message, or is empty."""

    post_type: PostType
    facts: MediaFacts | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Checked:
    """A row and the result of its check.

    Attributes:
        posts: The posts to create, one per account; empty if something blocks it, or nothing is left to do.
        media: The file of all posts as named in the cell, empty for none.
        is_there: It was imported before, and isn't imported again.
    """

    record: Record
    issues: tuple[Issue, ...] = ()
    posts: tuple[NewPost, ...] = ()
    media: str = ""
    is_there: bool = False

    @property
    def blocked(self) -> bool:
        return any(issue.blocks for issue in self.issues)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The context for checking rows.

    Attributes:
        accounts: The connected accounts.
        now: Milliseconds since 1970 UTC.
        files: The files named in the table, by cell.
        boards: Pinterest boards, by account key.
        undecided: Keys of TikTok accounts without a choice of who can see their posts.
        planned: The idempotency keys of existing posts.
        cancelled: Those of them whose posts were cancelled.
        renewed: Returns the key to use for a row's key: another one if scheduling that post was undone.
        posts: The keys of all posts.
        takes_by_hand: Whether the service offers publishing single posts by hand.
    """

    accounts: tuple[Account, ...]
    now: int
    files: Mapping[str, KnownFile] = field(default_factory=dict)
    boards: Mapping[str, Sequence[Board]] = field(default_factory=dict)
    undecided: Collection[str] = ()
    planned: Keys = frozenset()
    cancelled: Keys = frozenset()
    renewed: Callable[[str], str] = str
    posts: Keys = frozenset()
    takes_by_hand: bool = False


def is_address(cell: str) -> bool:
    """Whether a cell names a file on the web."""
    return cell.lower().startswith(("https://", "http://"))


def check_table(table: Table, choices: Choices, around: Surroundings) -> list[Checked]:
    """Check all rows, in order; this takes a few seconds for ten thousand."""
    checker = _Checker(choices, around)
    return [checker.check(record) for record in table.records]


class _Checker:
    """Checks row by row, and remembers earlier posts."""

    def __init__(self, choices: Choices, around: Surroundings) -> None:
        self._columns = choices.columns
        self._around = around
        self._names = AccountNames(around.accounts)
        self._limits = {account.key: account.limits for account in around.accounts}
        chosen = set(choices.account_keys)
        self._usual = [account for account in around.accounts if account.key in chosen]
        own_column = Column.TIME in choices.columns
        self._instants = Instants(choices.zone, choices.day_order, around.now, own_column=own_column)
        self._lines: dict[str, int] = {}

    def check(self, record: Record) -> Checked:
        cell = {column: self._cell(record, column) for column in Column}
        if cell[Column.ID].strip() in self._around.posts:
            text = tr("This post is already in the calendar. Edit it there.")
            return Checked(record, (Issue(Column.ID, text, blocks=False),), is_there=True)
        at, issues = self._instants.read(cell[Column.DATE], cell[Column.TIME], cell[Column.ZONE])
        by_hand = self._by_hand(cell[Column.BY_HAND], issues)
        accounts = self._accounts(cell, issues, by_hand=by_hand)
        media = cell[Column.MEDIA].strip()
        kind = self._kind(media, issues)
        posts = tuple(
            self._post(account, kind, at or 0, cell, issues, by_hand=by_hand) for account in accounts
        )
        for post in posts:
            issues += self._against_rules(post, self._around.files.get(media))
        if record.surplus:
            text = tr(
                "This row has more cells than columns. Put quotation marks around text that "
                "contains a separator."
            )
            issues.append(Issue(None, text))
        is_there = bool(posts) and all(post.idempotency_key in self._around.planned for post in posts)
        issues += self._seen_before(record, posts, is_there=is_there)
        found = Checked(record, tuple(dict.fromkeys(issues)), posts, media, is_there=is_there)
        return replace(found, posts=()) if found.blocked or is_there else found

    def _cell(self, record: Record, column: Column) -> str:
        index = self._columns.get(column)
        return "" if index is None or index >= len(record.cells) else record.cells[index]

    def _by_hand(self, written: str, issues: list[Issue]) -> bool:
        """Whether a cell says that the user publishes the post."""
        word = written.strip().casefold()
        if word in _NO:
            return False
        if word not in _YES:
            issues.append(Issue(Column.BY_HAND, tr("Enter “yes”, or leave it empty.")))
        elif not self._around.takes_by_hand:
            issues.append(Issue(Column.BY_HAND, tr("This service doesn't offer publishing by hand.")))
        return word in _YES

    def _accounts(self, cell: Mapping[Column, str], issues: list[Issue], *, by_hand: bool) -> list[Account]:
        where = self._place(Column.ACCOUNT, Column.PLATFORM)
        try:
            found = self._names.find(cell[Column.ACCOUNT], cell[Column.PLATFORM]) or self._usual
        except UnknownAccountError as error:
            fix = ""
            if error.meant and (column := self._misspelt(cell, error.written)) is not None:
                where, fix = column, cell[column].replace(error.written, error.meant, 1)
            issues.append(Issue(where, str(error), fix=fix))
            return []
        if not found:
            issues.append(
                Issue(where, tr("This row has no account. Enter one, or choose a default account."))
            )
        if by_hand:  # then neither access nor a choice for TikTok is needed
            issues += [issue for account in found if (issue := _not_by_hand(account)) is not None]
            return found
        for account in found:
            if account.key in self._around.undecided:
                text = tr(
                    "In Connections, choose who can see {account}'s posts on TikTok.", account=account.name
                )
                issues.append(Issue(where, text))
            if not account.is_available:
                text = tr(
                    "Reconnect {account} on {platform} before this post is due.",
                    account=account.name,
                    platform=name_of(account.platform),
                )
                issues.append(Issue(where, text, blocks=False))
        return found

    def _misspelt(self, cell: Mapping[Column, str], written: str) -> Column | None:
        """Return the column that contains the misspelled text."""
        places = (Column.PLATFORM, Column.ACCOUNT)
        return next((one for one in places if one in self._columns and written in cell[one]), None)

    def _kind(self, media: str, issues: list[Issue]) -> PostType:
        if not media:
            return PostType.TEXT
        if (known := self._around.files.get(media)) is not None:
            if known.problem:
                issues.append(Issue(Column.MEDIA, known.problem))
            return known.post_type
        try:
            return _kind_at(AttachFromUrl(url=media).url)
        except ValueError:
            text = tr("“{address}” isn't a file address.", address=media[:_SHOWN_MAX])
            issues.append(Issue(Column.MEDIA, text))
            return PostType.IMAGE

    def _post(
        self,
        account: Account,
        kind: PostType,
        at: int,
        cell: Mapping[Column, str],
        issues: list[Issue],
        *,
        by_hand: bool,
    ) -> NewPost:
        text = cell[Column.TEXT].replace("\r\n", "\n").replace("\r", "\n").strip()
        title = " ".join(cell[Column.TITLE].split()) or None
        media = cell[Column.MEDIA].strip()
        board, link = self._board(account, cell[Column.BOARD], issues), ""
        if account.platform.value == PostingPlatform.PINTEREST.value:
            link = cell[Column.LINK].strip()
        is_single = by_hand and offers_by_hand(account.platform.value)
        said = account.key, text, title, at, media, board.id if board else "", link
        return NewPost(
            account_key=account.key,
            platform=PostingPlatform(account.platform.value),
            post_type=kind,
            text=text,
            title=title,
            at=at,
            media_storage_path=_PLACEHOLDER if media else "",
            board_id=board.id if board else "",
            board_name=board.name if board else "",
            link=link,
            by_hand=is_single,
            idempotency_key=self._around.renewed(identity(*said, *(("by hand",) if is_single else ()))),
        )

    def _board(self, account: Account, cell: str, issues: list[Issue]) -> Board | None:
        name = " ".join(cell.split()).casefold()
        if account.platform.value != PostingPlatform.PINTEREST.value or not name:
            return None
        known = self._around.boards.get(account.key, ())
        found = [board for board in known if name in (board.id.casefold(), board.name.casefold())]
        if len(found) == 1:
            return found[0]
        text = (_SEVERAL_BOARDS if found else _NO_BOARD).format(
            board=cell.strip()[:_SHOWN_MAX], account=account.name
        )
        issues.append(Issue(Column.BOARD, text))
        return Board("-", "")  # or the rules would report a missing board, too

    def _against_rules(self, post: NewPost, file: KnownFile | None) -> Iterator[Issue]:
        for found in check(
            platform=post.ruled_by,
            post_type=post.post_type,
            title=post.title,
            text=post.text,
            has_media=post.post_type is not PostType.TEXT,
            media=file.facts if file is not None and not file.problem else None,
            board_id=post.board_id,
            limits=self._limits.get(post.account_key),
        ):
            yield Issue(self._place(_FIELDS.get(found.field), Column.ACCOUNT), found.message)
        yield from self._against_contract(post)

    def _against_contract(self, post: NewPost) -> Iterator[Issue]:
        try:
            CreatePost.model_validate(_body(post), strict=False)
        except ValidationError as error:
            for issue in error.errors():
                where = _FIELDS.get(str(issue["loc"][0]))
                yield Issue(self._place(where, Column.ACCOUNT), _contract_words(where, issue))

    def _place(self, *wished: Column | None) -> Column | None:
        """Return the first of these columns that the table has, or the first one if it has none of them."""
        return next((one for one in wished if one in self._columns), wished[0])

    def _seen_before(self, record: Record, posts: Collection[NewPost], *, is_there: bool) -> Iterator[Issue]:
        if is_there:
            is_cancelled = any(post.idempotency_key in self._around.cancelled for post in posts)
            text = _CANCELLED if is_cancelled else _SCHEDULED
            yield Issue(Column.TEXT, text, blocks=False)
        for post in posts:
            line = self._lines.setdefault(post.idempotency_key, record.line)
            if line != record.line and not is_there:
                text = tr("Same as line {line}. This post is created only once.", line=line)
                yield Issue(Column.TEXT, text, blocks=False)


def _not_by_hand(account: Account) -> Issue | None:
    """Return why a post of an account can't be published by hand; None if it can."""
    name = name_of(account.platform.value)
    if account.practice:  # the platform's own composer would publish for real
        return Issue(Column.BY_HAND, tr("Posts of practice accounts can't be published by hand."))
    if is_by_hand(account.platform.value) or offers_by_hand(account.platform.value):
        return None
    return Issue(Column.BY_HAND, tr("Posts on {platform} can't be published by hand.", platform=name))


def _body(post: NewPost) -> dict[str, object]:
    optional = {"title": post.title, "pinterest_link": post.link}
    return {
        "social_account_id": post.account_key,
        "platform": post.platform.value,
        "post_type": post.post_type.value,
        "description": post.text,
        "scheduled_at": from_millis(min(max(post.at or 0, 0), LAST_MOMENT)),
        **{name: value for name, value in optional.items() if value},
    }


def _contract_words(where: Column | None, issue: ErrorDetails) -> str:
    """Return why the contract refuses a value, as a translatable message: pydantic's are only in English."""
    facts = issue.get("ctx", {})
    match issue["type"]:
        case "string_too_long":
            return tr("Too long. The limit is {n} characters.", n=number(facts["max_length"]))
        case "character":
            return tr("The character {character} can't be posted. Remove it.", character=facts["character"])
    if where is Column.LINK:
        return tr("That isn't a web address. It should look like https://example.com/page.")
    return tr("The service doesn't accept this value.")


def _kind_at(address: str) -> PostType:
    """Return the type by the file extension of a URL; an image if that is unknown."""
    ending = PurePath(urlsplit(address).path).suffix.lower().removeprefix(".")
    return _ENDINGS.get(ending, PostType.IMAGE)


def identity(*said: str | int | None) -> str:
    """Return an idempotency key of a row's content, so that importing a table twice makes no duplicates."""
    plain = json.dumps(said, ensure_ascii=False)
    return f"csv:{hashlib.sha256(plain.encode('utf-8', 'surrogatepass')).hexdigest()[:40]}"
