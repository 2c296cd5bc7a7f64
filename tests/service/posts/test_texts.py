"""Texts from outside: kept to the letter, or refused by name."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.service.running import Caller
from tests.service.test_envelope import envelope, fields

LINES = ("media_storage_path", "idempotency_key", "batch_id", "pinterest_board_id", "pinterest_link")
TEXTS = ("description", "title", "pinterest_board_name")
CONTROLS = [chr(code) for code in range(32) if chr(code) not in "\t\n\r"]


@pytest.mark.parametrize("name", [*LINES, *TEXTS])
@pytest.mark.parametrize("character", ["\x00", "\x0b", "\x1b", "\x1f"])
def test_controls_are_refused_in_every_text(caller: Caller, name: str, character: str) -> None:
    text = f"https://example.com/{character}"

    answer = caller.http.post("/posts", json=caller.post_body(caller.connect(), **{name: text}))

    assert fields(answer) == {name: "character"}
    assert f"U+{ord(character):04X}" in envelope(answer).error.message


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("character", ["\t", "\n", "\r"])
def test_keys_and_paths_have_one_line(caller: Caller, name: str, character: str) -> None:
    text = f"https://example.com/{character}"

    answer = caller.http.post("/posts", json=caller.post_body(caller.connect(), **{name: text}))

    assert fields(answer) == {name: "character"}


@pytest.mark.parametrize("query", ["batch_id=a%00b", "batch_id=%0a"])
def test_filters_hold_no_controls_either(caller: Caller, query: str) -> None:
    assert fields(caller.http.get(f"/posts?{query}")) == {"batch_id": "character"}


texts = st.text(st.characters(codec="utf-8", exclude_characters="".join(CONTROLS)), min_size=1, max_size=80)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=texts.filter(str.strip))
def test_every_other_text_comes_back_as_it_was(caller: Caller, text: str) -> None:
    account = caller.service.new_caller()
    post = account.create(account.connect(), description=text, title=text)

    stored = account.http.get(f"/posts/{post['id']}").json()
    assert (stored["description"], stored["title"]) == (text, text)


@pytest.mark.parametrize(
    "text", ["👩‍👩‍👧‍👦", "e\u0301 é", "\u202eרשת\u202c", "👍🏽", "\ufeffa", "a\u2028b", "\x7f\x85", "🇩🇪"]
)
def test_what_looks_strange_is_left_alone(caller: Caller, text: str) -> None:
    post = caller.create(caller.connect(), description=text, batch_id=text)

    assert (post["description"], post["batch_id"]) == (text, text)
    assert caller.http.get("/posts", params={"batch_id": text}).json()["data"] == [post]


@pytest.mark.parametrize(("length", "good"), [(200, True), (201, False)])
@pytest.mark.parametrize(
    "name", ["batch_id", "pinterest_board_id", "pinterest_board_name", "idempotency_key"]
)
def test_ids_and_names_end_somewhere(caller: Caller, name: str, length: int, good: bool) -> None:
    answer = caller.http.post("/posts", json=caller.post_body(caller.connect(), **{name: "é" * length}))

    assert answer.status_code == 201 if good else fields(answer) == {name: "too_long"}


@pytest.mark.parametrize("limits", [("description", 10_000), ("title", 500)])
def test_texts_are_counted_in_characters_not_in_bytes(caller: Caller, limits: tuple[str, int]) -> None:
    name, longest = limits
    account = caller.connect("facebook")
    body = caller.post_body(account, platform="facebook")

    assert caller.http.post("/posts", json={**body, name: "👩" * longest}).status_code == 201
    assert fields(caller.http.post("/posts", json={**body, name: "👩" * (longest + 1)})) == {name: "too_long"}


def with_member(caller: Caller, member: bytes) -> Any:
    """A good create body to which one more member is added, as bytes."""
    body = json.dumps(caller.post_body(caller.connect())).encode()
    return caller.http.post("/posts", content=body[:-1] + b", " + member + b"}")


@pytest.mark.parametrize(
    "member",
    [
        b'"title": "\\ud800"',
        b'"unknown": "\\udfff\\ud800"',
        b'"\\ud800": 1',
        b'"title": "\xff"',
        b'"title": "\xed\xa0\x80"',
        b'"title": "\xc0\x80"',
        b'"title": "a\x01b"',
        b'"unknown": ' + b"9" * 5_000,
        b'"unknown": ' + b"[" * 300 + b"]" * 300,
        b'"unknown": ' + b'{"a":' * 300 + b"1" + b"}" * 300,
        b'"unknown": 01',
        b'"unknown": "\\x41"',
        b'"unknown": undefined',
        b"// comment",
    ],
)
def test_what_is_no_json_is_refused_wherever_it_stands(caller: Caller, member: bytes) -> None:
    assert fields(with_member(caller, member)) == {"": "json_invalid"}


@pytest.mark.parametrize("member", [b'"unknown": 1e400', b'"unknown": ' + b"9" * 4_000, b'"\\u0000": 1'])
def test_what_is_ignored_may_be_anything(caller: Caller, member: bytes) -> None:
    assert with_member(caller, member).status_code == 201


@pytest.mark.parametrize("number", [b"5", b"9" * 400, b"1e400", b"-0.0"])
def test_a_number_is_no_text(caller: Caller, number: bytes) -> None:
    assert fields(with_member(caller, b'"title": ' + number)) == {"title": "string_type"}


def test_of_a_repeated_key_the_last_value_counts(caller: Caller) -> None:
    answer = with_member(caller, b'"title": "first", "title": "last"')

    assert answer.json()["title"] == "last"
    assert fields(with_member(caller, b'"title": "first", "title": 5')) == {"title": "string_type"}


def test_a_long_text_is_refused_as_such(caller: Caller) -> None:
    body = caller.post_body(caller.connect(), **dict.fromkeys(TEXTS, "x" * 100_000))

    assert fields(caller.http.post("/posts", json=body)) == dict.fromkeys(TEXTS, "too_long")


@pytest.mark.parametrize("depth", [3, 150])
def test_bulk_items_are_read_like_single_bodies(caller: Caller, depth: int) -> None:
    good = caller.post_body(caller.connect())
    nested: Any = 1
    for _ in range(depth):
        nested = [nested]
    items = [{**good, "title": "a\x00"}, {**good, "unknown": nested}, {**good, "title": 5}]

    result = caller.http.post("/posts/bulk", json={"posts": items}).json()

    assert result["inserted"] == 1
    assert [one["details"]["errors"][0]["field"] for one in result["rejected"]] == [
        "posts.0.title",
        "posts.2.title",
    ]
