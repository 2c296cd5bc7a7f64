"""What links and paths ask for: everything in them is a stranger's."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from urllib.parse import quote
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.desktop.links import FILES_MAX, AddFiles, BeginPost, Errand, ShowDay, ShowPost, understood

ID = "8c2b1f0e-6a7d-4a54-9d0f-2f1c8f6f3b11"


@pytest.mark.parametrize(
    ("link", "errand"),
    [
        (f"kalends://post/{ID}", ShowPost(UUID(ID))),
        (f"KALENDS://post/{ID}/", ShowPost(UUID(ID))),
        ("kalends://day/2026-12-24", ShowDay(date(2026, 12, 24))),
        ("kalends://today", ShowDay()),
        ("kalends://new", BeginPost()),
        ("kalends://new?text=Hello%20w%C3%B6rld", BeginPost("Hello wörld")),
        ("kalends://new?at=2026-12-24T18:30", BeginPost(at=datetime(2026, 12, 24, 18, 30))),  # noqa: DTZ001
        ("kalends://new?at=2026-12-24T18:30Z", BeginPost(at=datetime(2026, 12, 24, 18, 30, tzinfo=UTC))),
        ("kalends://new?file=/a/b.jpg&file=/c.mp4", BeginPost(files=(Path("/a/b.jpg"), Path("/c.mp4")))),
        ("/home/ines/a b.jpg", AddFiles((Path("/home/ines/a b.jpg"),))),
        ("file:///home/ines/a%20b.jpg", AddFiles((Path("/home/ines/a b.jpg"),))),
    ],
)
def test_what_a_link_or_a_path_asks_for(link: str, errand: Errand) -> None:
    assert understood([link]) == [errand]


def test_files_are_taken_together_after_the_links() -> None:
    assert understood(["/a.jpg", "kalends://today", "/b.jpg"]) == [
        ShowDay(),
        AddFiles((Path("/a.jpg"), Path("/b.jpg"))),
    ]


@pytest.mark.parametrize(
    "thing",
    [
        "kalends://post/1",
        "kalends://day/2026-13-01",
        "kalends://day/9999-12-31",
        "kalends://delete/everything",
        "kalends://[/",
        "kalends:post",
        "a.jpg",
        "//host/share/a.jpg",
        "\\\\host\\share\\a.jpg",
        "file://host/share/a.jpg",
        "https://example.org/",
        "/a\0.jpg",
        "/" + "a" * 30_000,
        "",
    ],
)
def test_what_makes_no_sense_is_left_out(thing: str) -> None:
    assert understood([thing]) == []


def test_a_link_brings_neither_network_paths_nor_what_is_invisible() -> None:
    (errand,) = understood(["kalends://new?text=a%00%E2%80%AEb%0Ac&at=soon&file=//host/a&file=a.jpg"])

    assert errand == BeginPost("ab\nc")


def test_all_files_of_the_user_are_taken_and_those_a_link_leaves_out_are_counted() -> None:
    names = [f"/{number}.jpg" for number in range(FILES_MAX + 5)]
    assert understood(names) == [AddFiles(tuple(map(Path, names)))]
    [errand] = understood([f"kalends://new?{'&'.join(f'file={name}' for name in names)}"])
    assert errand == BeginPost(files=tuple(map(Path, names[:FILES_MAX])), left_out=5)


@pytest.mark.parametrize(
    "text",
    [
        "👨\u200d👩\u200d👧 at the sea",
        "Bonjour\u202f! 10\u00a0000\u00a0€",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "क्\u200dष",
        "שלום\u200f!",
        "a\tb",
    ],
)
def test_the_text_of_a_link_keeps_its_joiners_and_spaces(text: str) -> None:
    assert understood([f"kalends://new?text={quote(text)}"]) == [BeginPost(text)]


@given(st.lists(st.text(max_size=60) | st.text(max_size=60).map("kalends://".__add__), max_size=5))
def test_nothing_that_is_handed_over_is_an_error(things: list[str]) -> None:
    understood(things)


@given(st.datetimes(datetime(2000, 1, 1), datetime(2100, 12, 31)), st.integers(-14, 14))  # noqa: DTZ001
def test_a_moment_is_read_as_it_was_written(moment: datetime, hours: int) -> None:
    assert understood([f"kalends://new?at={moment.isoformat()}"]) == [BeginPost(at=moment)]
    words = moment.isoformat() + ("+" if hours >= 0 else "-") + f"{abs(hours):02}:00"
    (errand,) = understood([f"kalends://new?at={words.replace('+', '%2B')}"])
    assert isinstance(errand, BeginPost)
    assert errand.at is not None
    assert errand.at.utcoffset() == timedelta(hours=hours)
