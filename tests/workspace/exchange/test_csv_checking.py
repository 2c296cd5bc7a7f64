"""Rows are judged before anything is made of them, each problem in its own cell."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.contract.enums import ConnectionPlatform, PostType
from app.workspace.accounts.account import Account
from app.workspace.clock import to_millis
from app.workspace.editing.boards import Board
from app.workspace.exchange.csv_checking import Checked, KnownFile, Surroundings, check_table
from app.workspace.exchange.csv_columns import Choices, Column, columns_by_name, guess, has_names
from app.workspace.exchange.csv_table import Table, read_table
from app.workspace.rules import MediaFacts

NOW = to_millis(datetime(2026, 11, 21, 9, tzinfo=UTC))


def account(platform: str, handle: str, name: str = "Okafor Studio", *, available: bool = True) -> Account:
    return Account(
        key=f"00000000-0000-4000-8000-{abs(hash((platform, handle))) % 10**12:012}",
        platform=ConnectionPlatform(platform),
        name=name,
        handle=handle,
        identifier=f"id-{platform}-{handle}",
        avatar_url=None,
        followers=None,
        is_verified=None,
        is_available=available,
        token_expires_at=None,
        connected_at=datetime(2026, 3, 12, tzinfo=UTC),
        color_index=0,
        practice=False,
    )


LINKEDIN, X, OTHER_X = account("linkedin", "okafor"), account("x", "okafor"), account("x", "maya", "Maya, M.")
PINTEREST, THREADS = account("pinterest", "pins", "Pins"), account("threads", "okafor")
AROUND = Surroundings((LINKEDIN, X, OTHER_X, PINTEREST, THREADS), NOW)


def checked(text: str, around: Surroundings = AROUND, choices: Choices | None = None) -> list[Checked]:
    table = read_table(text.encode())
    return check_table(table, choices or guess(table, "Europe/Berlin"), around)


def told(row: Checked) -> list[tuple[Column | None, str]]:
    return [(issue.column, issue.text) for issue in row.issues if issue.blocks]


def test_every_problem_stands_in_its_cell() -> None:
    long = "x" * 281
    rows = [
        "Fine,maya,2026-12-01 10:00,",
        f"{long},maya,2026-12-01 10:00,",
        "A\x01B,maya,2026-12-01 10:00,",
        ",maya,2026-12-01 10:00,",
        "Both,nobody,yesterday,https://[",
        "Picture,maya,2026-12-01 10:00,gone.jpg",
        "Comma, here,maya,2026-12-01 10:00,a.jpg",
    ]
    files = {"gone.jpg": KnownFile(PostType.IMAGE, problem="It is gone.")}
    found = checked("\n".join(("Text,Account,Date,Image", *rows)), replace(AROUND, files=files))
    columns = [{column for column, _ in told(row)} for row in found]
    assert columns == [
        set(),
        {Column.TEXT},
        {Column.TEXT},
        {Column.TEXT},
        {Column.ACCOUNT, Column.DATE, Column.MEDIA},
        {Column.MEDIA},
        {None, Column.ACCOUNT, Column.DATE, Column.MEDIA},
    ]
    assert told(found[1]) == [(Column.TEXT, "1 character too long for X (limit 280).")]
    assert [len(row.posts) for row in found] == [1, 0, 0, 0, 0, 0, 0]


def test_a_row_for_several_accounts_makes_a_post_for_each_or_none() -> None:
    header = "Text,Account,Date"
    fits, not_all = checked(
        f'{header}\nShort,"maya, linkedin",2026-12-01 10:00\n{"x" * 281},"maya, linkedin",2026-12-01 10:00'
    )
    assert [post.platform.value for post in fits.posts] == ["x", "linkedin"]
    assert not_all.posts == ()


def test_kinds_follow_the_file() -> None:
    files = {
        "coat.jpg": KnownFile(PostType.IMAGE, MediaFacts("image/jpeg", 5_000, width=800, height=800)),
        "huge.jpg": KnownFile(PostType.IMAGE, MediaFacts("image/jpeg", 10**9, width=800, height=800)),
    }
    rows = [
        f"Look,maya,2026-12-01 1{i}:00,{cell}" for i, cell in enumerate((*files, "https://a.b/c.mp4?x=1", ""))
    ]
    found = checked("\n".join(("Text,Account,Date,Media", *rows)), replace(AROUND, files=files))
    assert [[post.post_type for post in row.posts] for row in found] == [
        [PostType.IMAGE],
        [],
        [PostType.VIDEO],
        [PostType.TEXT],
    ]
    assert [column for column, _ in told(found[1])] == [Column.MEDIA]


def test_pins_go_to_boards_by_name() -> None:
    boards = {PINTEREST.key: (Board("1", "Winter"), Board("2", "Spring"), Board("3", "spring"))}
    files = {"a.jpg": KnownFile(PostType.IMAGE, MediaFacts("image/jpeg", 5_000, width=800, height=1_200))}
    rows = [
        f"Pin,pinterest,2026-12-01 10:00,a.jpg,{board},https://a.b/"
        for board in ("winter", "Spring", "Fall", "")
    ]
    text = "\n".join(("Text,Account,Date,Media,Board,Link", *rows))
    found = checked(text, replace(AROUND, boards=boards, files=files))
    assert [(post.board_id, post.link) for post in found[0].posts] == [("1", "https://a.b/")]
    assert [[column for column, _ in told(row)] for row in found[1:]] == [[Column.BOARD]] * 3


def test_what_was_made_is_not_made_again_and_equal_rows_are_made_once() -> None:
    text = "Text,Account,Date\nA,maya,2026-12-01 10:00\nA,@maya,01.12.2026 10:00\nB,maya,2026-12-01 10:00"
    first, equal, other = checked(text)
    assert first.posts[0].idempotency_key == equal.posts[0].idempotency_key != other.posts[0].idempotency_key
    assert [issue.text for issue in equal.issues] == ["Same as line 2. This post is created only once."]
    again = checked(text, replace(AROUND, planned=frozenset({first.posts[0].idempotency_key})))
    assert [(row.is_there, len(row.posts)) for row in again] == [(True, 0), (True, 0), (False, 1)]


def test_rows_without_an_account_go_to_the_chosen_one() -> None:
    table = read_table(b"Text,Date\nA,2026-12-01 10:00")
    plain = guess(table, "UTC")
    assert told(check_table(table, plain, AROUND)[0])[0][0] is Column.ACCOUNT
    (row,) = check_table(table, replace(plain, account_keys=(X.key,)), AROUND)
    assert [post.account_key for post in row.posts] == [X.key]


def test_an_account_that_has_ended_is_a_remark() -> None:
    ended = account("linkedin", "old", available=False)
    (row,) = checked("Text,Account,Date\nA,old,2026-12-01 10:00", Surroundings((ended,), NOW))
    assert (row.blocked, len(row.posts), len(row.issues)) == (False, 1, 1)


@pytest.mark.parametrize(
    ("header", "columns"),
    [
        (
            "Posting Time,Profiles,Text,Image URL",
            {Column.DATE: 0, Column.ACCOUNT: 1, Column.TEXT: 2, Column.MEDIA: 3},
        ),
        ("Datum,Uhrzeit,Konto,Beitrag", {Column.DATE: 0, Column.TIME: 1, Column.ACCOUNT: 2, Column.TEXT: 3}),
        ("Message,Link,Date", {Column.TEXT: 0, Column.LINK: 1, Column.DATE: 2}),
        ("foo,bar", {}),
    ],
)
def test_names_of_columns_are_understood(header: str, columns: Mapping[Column, int]) -> None:
    assert columns_by_name(header.split(",")) == columns


def test_columns_without_names_are_found_by_what_is_in_them() -> None:
    table = read_table(
        b"2026-12-01 10:00,Hello to all of you,maya\n2026-12-02 10:00,And again,maya", has_header=False
    )
    assert table.header == ("Column 1", "Column 2", "Column 3")
    assert guess(table, "UTC").columns == {Column.DATE: 0, Column.TEXT: 1}
    assert not has_names(["2026-12-01 10:00", "Hello"])
    assert has_names(["When it goes", "Hello"])
    assert has_names(["Text", "2026"])


@given(st.lists(st.lists(st.text(max_size=20), min_size=4, max_size=4), max_size=5))
def test_any_table_can_be_judged(rows: list[list[str]]) -> None:
    table = Table(
        ("Text", "Account", "Date", "Media"), read_table(b"").records, "utf-8", ",", has_header=True
    )
    content = "\n".join(",".join(cell.replace("\n", " ") for cell in row) for row in rows)
    table = read_table(f"Text,Account,Date,Media\n{content}".encode("utf-8", "replace"))
    for row in check_table(table, guess(table, "UTC"), AROUND):
        assert row.blocked is bool(told(row))
        assert not (row.blocked and row.posts)


def test_posts_to_tiktok_need_a_choice_for_their_account() -> None:
    tiktok = account("tiktok", "film")
    text = "account,platform,text,date,media\nfilm,tiktok,Wool,2035-01-01 10:00,film.mp4\n"
    files = {"film.mp4": KnownFile(PostType.VIDEO)}
    undecided = Surroundings((tiktok,), NOW, files=files, undecided={tiktok.key})
    (row,) = checked(text, undecided)
    sentence = "In Connections, choose who can see Okafor Studio's posts on TikTok."
    assert told(row) == [(Column.ACCOUNT, sentence)]
    (row,) = checked(text, replace(undecided, undecided=()))
    assert told(row) == []
    assert [post.tiktok for post in row.posts] == [None]


BY_HAND = replace(AROUND, takes_by_hand=True)


@pytest.mark.parametrize(
    ("cell", "by_hand"), [("yes", True), ("Ja", True), ("x", True), ("1", True), ("", False), ("no", False)]
)
def test_a_row_says_that_its_post_is_published_by_hand(cell: str, by_hand: bool) -> None:
    [row] = checked(f"Text,Account,Date,By hand\nWool,maya,2026-12-01 10:00,{cell}\n", BY_HAND)
    assert [post.by_hand for post in row.posts] == [by_hand]
    assert row.issues == ()


def test_posts_by_hand_need_neither_access_nor_what_only_the_api_needs() -> None:
    ended, tiktok = account("x", "ended", available=False), account("tiktok", "okafor")
    around = replace(BY_HAND, accounts=(ended, tiktok, PINTEREST), undecided={tiktok.key})
    rows = ("ended,", "pins,https://okafor.studio/coat.jpg", "tiktok:okafor,https://okafor.studio/coat.mp4")
    lines = "".join(f"Wool,2026-12-01 10:00,{row},yes\n" for row in rows)
    found = checked(f"Text,Date,Account,Media,By hand\n{lines}", around)
    assert [told(row) for row in found] == [[], [], []]
    assert [len(row.posts) for row in found] == [1, 1, 1]
    assert [row.issues for row in found] == [(), (), ()]


def test_a_row_by_hand_is_refused_where_that_is_not_possible() -> None:
    practice = replace(X, practice=True)
    header = "Text,Account,Date,By hand\n"
    [unclear] = checked(f"{header}Wool,maya,2026-12-01 10:00,perhaps\n", BY_HAND)
    [unoffered] = checked(f"{header}Wool,maya,2026-12-01 10:00,yes\n")
    [trial] = checked(f"{header}Wool,x:okafor,2026-12-01 10:00,yes\n", replace(BY_HAND, accounts=(practice,)))
    assert [told(row) for row in (unclear, unoffered, trial)] == [
        [(Column.BY_HAND, "Enter “yes”, or leave it empty.")],
        [(Column.BY_HAND, "This service doesn't offer publishing by hand.")],
        [(Column.BY_HAND, "Posts of practice accounts can't be published by hand.")],
    ]


def test_a_row_by_hand_is_another_post_than_the_same_row_without_it() -> None:
    header, row = "Text,Account,Date,By hand\n", "Wool,maya,2026-12-01 10:00,"
    plain, by_hand = (checked(f"{header}{row}{cell}\n", BY_HAND)[0].posts[0] for cell in ("", "yes"))
    [without_column] = checked("Text,Account,Date\nWool,maya,2026-12-01 10:00\n")
    assert plain.idempotency_key == without_column.posts[0].idempotency_key
    assert by_hand.idempotency_key != plain.idempotency_key
