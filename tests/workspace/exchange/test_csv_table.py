"""Reading tables: whatever is in the file, something sensible comes out, and what was written comes back."""

import csv
import io
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.workspace.exchange.csv_table import ROWS_MAX, csv_file, encoding_of, guarded, read_table, unguarded

CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufeff"), max_size=40)
FORMULAS = st.builds(
    str.__add__, st.sampled_from(["=", "+", "-", "@", "\t", "\r", "\n", " =", "'=", "''+", "\uff1d"]), CELLS
)
SEPARATED = st.text(st.sampled_from("a1 ,;\t\r\n\"'=+-@\uff1d"), max_size=12)
"""Cells that another program may take for several."""
ROWS = st.lists(st.lists(CELLS | FORMULAS | SEPARATED, min_size=3, max_size=3), min_size=1, max_size=8)


@given(ROWS)
@example([["", "", " 0"]])
def test_what_is_written_comes_back(rows: list[list[str]]) -> None:
    table = read_table(csv_file(["Text", "Account", "Date"], rows))
    assert table.header == ("Text", "Account", "Date")
    assert [list(record.cells) for record in table.records] == [
        row for row in rows if any(cell.strip() for cell in map(guarded, row))
    ]


@given(ROWS)
def test_no_cell_begins_like_a_formula(rows: list[list[str]]) -> None:
    written = csv_file(["Text", "Account", "Date"], rows).decode("utf-8-sig")
    for row in csv.reader(io.StringIO(written, newline="")):
        assert not any(cell.startswith(("=", "+", "-", "@", "\t", "\r")) for cell in row)


@given(ROWS, st.sampled_from(";\t"), st.booleans())
@example([["Sale;=WEBSERVICE(A1)", "", ""]], ";", False)
@example([["Two lines\n=1+1", "", ""]], ";", False)
@example([['Sale;"=1+1"', "", ""]], ";", True)
@example([["Sale\t@SUM(1)", "x; -1", ""]], "\t", True)
def test_no_cell_is_a_formula_for_a_program_with_another_separator(
    rows: list[list[str]], separator: str, quotes: bool
) -> None:
    """Excel in German or French reads the same file with semicolons; pasted text comes apart at tabs."""
    written = csv_file(["Text", "Account", "Date"], rows).decode("utf-8-sig")
    if quotes:
        lines = list(csv.reader(io.StringIO(written, newline=""), delimiter=separator))
    else:
        lines = [line.split(separator) for line in re.split("[\r\n]", written)]
    for cells in lines:
        assert [cell for cell in cells if re.match('[ "]*[=+\\-@\uff1d]', cell)] == []


@given(CELLS | FORMULAS | SEPARATED)
@example("\t=1")
@example("\r\n;'=1")
def test_a_guard_comes_off_as_it_was_put_on(cell: str) -> None:
    assert unguarded(guarded(cell)) == cell


@settings(deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_give_a_table(content: bytes) -> None:
    table = read_table(content)
    assert all(len(record.cells) == len(table.header) for record in table.records)


@settings(deadline=None)
@given(st.text(st.sampled_from("a,;\t\"\n\r' 1"), max_size=60))
def test_any_quotation_marks_give_a_table(text: str) -> None:
    table = read_table(text.encode())
    assert [record.line for record in table.records] == sorted({record.line for record in table.records})


WORDS = "Text;Datum\nGrüße aus Köln, für später;2026-11-25 14:30\nÜber die Brücke;2026-11-26 09:00\n"


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"]
)
def test_letters_are_read_in_every_usual_encoding(encoding: str) -> None:
    table = read_table(WORDS.encode(encoding))
    assert table.header == ("Text", "Datum")
    assert table.records[0].cells == ("Grüße aus Köln, für später", "2026-11-25 14:30")


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1251", "Текст,Дата\nПривет, друзья; завтра открытие выставки\n"),  # noqa: RUF001  Cyrillic is meant
        ("cp932", "本文,日付\n明日から展覧会が始まります。ぜひお越しください\n"),
        ("cp1250", "Tekst,Data\nZażółć gęślą jaźń, to jest próba zapisu\n"),
    ],
)
def test_other_alphabets_are_found_out(encoding: str, text: str) -> None:
    content = text.encode(encoding)
    assert content.decode(encoding_of(content)) == text


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_separators_and_line_ends_are_found_out(separator: str, ending: str) -> None:
    lines = [
        "text|date".replace("|", separator),
        f"Hello{separator}2026-11-25",
        f'"a {separator} b"{separator}x',
        "",
    ]
    table = read_table(ending.join(lines).encode())
    assert (table.separator, table.header) == (separator, ("text", "date"))
    assert [record.cells for record in table.records] == [("Hello", "2026-11-25"), (f"a {separator} b", "x")]


def test_a_told_separator_is_believed() -> None:
    table = read_table(b"sep=;\r\na,b;c\r\n1,2;3\r\n")
    assert (table.header, table.records[0].cells, table.records[0].line) == (("a,b", "c"), ("1,2", "3"), 3)


def test_an_open_quotation_mark_costs_its_row_alone() -> None:
    table = read_table(b'text,date\n"open,2\nthree,3\nfour,4\n')
    assert [record.cells for record in table.records] == [('"open', "2"), ("three", "3"), ("four", "4")]
    assert table.notes == ("Missing closing quotation mark. Check line 2.",)


def test_ragged_rows_are_kept_and_their_surplus_is_known() -> None:
    table = read_table(b"text,date\nshort\nHello, you,2026-11-25\nfine,2026-11-26,,\n\n , \n")
    assert [(record.line, record.cells, record.surplus) for record in table.records] == [
        (2, ("short", ""), ()),
        (3, ("Hello", "you"), ("2026-11-25",)),
        (4, ("fine", "2026-11-26"), ()),
    ]


def test_ten_thousand_rows_are_read_and_the_rest_is_named() -> None:
    lines = ["text,date", *(f'"row {i}\nmore",2026-11-25' for i in range(ROWS_MAX + 2))]
    table = read_table("\n".join(lines).encode())
    assert len(table.records) == ROWS_MAX
    assert "Rows from line 20,002 on are skipped" in table.notes[0]
    whole = read_table("\n".join(lines[: ROWS_MAX + 1]).encode())
    assert (len(whole.records), whole.notes) == (ROWS_MAX, ())


def test_a_cell_without_end_is_no_trouble() -> None:
    table = read_table(b'text,date\n"' + b"x" * 300_000 + b"\nnext,1\n")
    assert table.records[-1].cells == ("next", "1")
