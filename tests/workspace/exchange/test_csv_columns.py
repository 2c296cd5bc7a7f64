"""What the columns of a table are taken to mean."""

from app.workspace.exchange.csv_columns import Column, guess, header_id
from app.workspace.exchange.csv_table import read_table


def test_rows_that_were_given_back_are_understood_like_the_table_they_came_from() -> None:
    assert header_id(["Words", "Day", "Result", "Reason"]) == header_id(["words", "day"])
    assert header_id(["Reason", "Day"]) != header_id(["Day"])


def test_why_a_row_was_not_planned_is_never_taken_for_its_text() -> None:
    why = "a reason that is a good deal longer than the text of the row"
    table = read_table(f"words,day,Result,Reason\nOne,2026-12-01,not planned,{why}\n".encode())
    assert guess(table, "UTC").columns[Column.TEXT] == 0
