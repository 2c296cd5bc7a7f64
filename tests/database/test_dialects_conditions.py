"""Conditions on the words that a program knows."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Column, Connection, Integer, MetaData, Table, Text, create_engine, insert, select, text

from app.database import is_one_of
from app.database.dialects import partial_index

ROWS = Table(
    "rows",
    MetaData(),
    Column("id", Integer, primary_key=True),
    Column("state", Text),
    Column("at", Integer),
    partial_index("rows_due", "at", where="state IN ('claimed', 'due')"),
)


@pytest.fixture(name="rows")
def open_rows() -> Iterator[Connection]:
    engine = create_engine("sqlite://")
    with engine.connect() as rows:
        ROWS.metadata.create_all(rows)
        rows.execute(insert(ROWS), [{"state": word, "at": 1} for word in ("due", "claimed", "x-by-hand")])
        yield rows
    engine.dispose()


def test_words_become_part_of_the_sql() -> None:
    condition = is_one_of(ROWS.c.state, {"due", "claimed"})
    assert str(condition) == "rows.state IN ('claimed', 'due')"
    assert not condition.compile().params


def test_rows_with_one_of_the_words_are_found(rows: Connection) -> None:
    chosen = select(ROWS.c.state).where(is_one_of(ROWS.c.state, ["x-by-hand", "due", "unused"]))
    assert set(rows.scalars(chosen)) == {"x-by-hand", "due"}
    others = select(ROWS.c.state).where(~is_one_of(ROWS.c.state, ["x-by-hand", "due"]))
    assert set(rows.scalars(others)) == {"claimed"}


def test_no_words_match_no_row(rows: Connection) -> None:
    assert not rows.scalars(select(ROWS.c.state).where(is_one_of(ROWS.c.state, ()))).all()


def test_the_database_uses_its_partial_index(rows: Connection) -> None:
    due = select(ROWS.c.id).where(is_one_of(ROWS.c.state, ("due", "claimed")), ROWS.c.at < 5)
    plan = rows.execute(text(f"EXPLAIN QUERY PLAN {due}"), {"at_1": 5}).all()
    assert "rows_due" in str(plan)


@pytest.mark.parametrize("word", ["it's", "a b", "", "ä", "due\n", "a%b"])
def test_anything_but_a_plain_word_is_refused(word: str) -> None:
    with pytest.raises(ValueError, match="not a plain word"):
        is_one_of(ROWS.c.state, ["due", word])
