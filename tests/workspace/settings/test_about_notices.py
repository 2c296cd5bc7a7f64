"""The page of third-party notices, read for the list."""

from pathlib import Path

from app.workspace.settings.about import read_notices

PAGE = (Path(__file__).parents[3] / "THIRD_PARTY_NOTICES.md").read_text("utf-8")


def test_every_row_of_the_page_is_a_work_with_a_licence() -> None:
    found = read_notices(PAGE)
    names = {work.name for work in found.works}
    assert {"Inter, typeface", "aiohttp", "FFmpeg", "zerocopy"} <= names
    assert all(work.licence for work in found.works)
    assert found.introduction[0].startswith("Kalends is licensed under Apache-2.0 (LICENSE).")
    names_in_order = [work.name.casefold() for work in found.works]
    assert names_in_order == sorted(names_in_order)


def test_a_work_has_its_texts_and_facts() -> None:
    works = {work.name: work for work in read_notices(PAGE).works}
    assert any("MIT License" in text for text in works["aiohttp"].texts)
    assert ("Source", "https://ffmpeg.org/") in works["FFmpeg"].facts
    assert works["MinGW-w64, winpthreads"].texts  # a name with a comma
    assert any("GNU LESSER GENERAL PUBLIC LICENSE" in text for text in works["GLib"].texts)
    assert works["AOM"].version == ""


def test_another_page_has_no_works() -> None:
    assert read_notices("").works == ()
    assert read_notices("# Notices\n\nNothing yet.\n").works == ()
