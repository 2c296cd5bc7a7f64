"""The largest allowed inputs of a client: long text, many values, many pairs, from a seed."""

import json
from random import Random
from typing import Any, Final

from tests.fuzzing.texts import PIECES

VALUES: Final = ("0", "null", '""', "{}", "[]", "[[[[]]]]", '{"":0}', "1e9", '"\\u00e9"', "-1.5")
_HEAD_BYTES: Final = 48 * 1024
"""Maximum size of sent request headers; the server accepts 64 KB."""


def long_text(random: Random, length: int) -> str:
    """Return a repeated fragment between two others."""
    piece = "".join(random.choices(PIECES, k=random.randint(1, 4)))
    start, end = ("".join(random.choices(PIECES, k=random.randint(0, 3))) for _ in range(2))
    return start + (piece * (length // len(piece) + 1))[:length] + end


def long_body(random: Random, example: dict[str, Any], fields: list[str], most: int) -> bytes:
    """Return a body of up to ``most`` bytes that's as slow to parse as possible."""
    made = random.choice((_of_values, _of_keys, _of_a_text, _of_few_values, _of_blanks))
    return made(random, example, fields, most)[:most]


def posts_body(random: Random, post: dict[str, Any], most: int) -> bytes:
    """Return a bulk call with the most and longest posts."""
    texts = [long_text(random, random.choice((9_900, 10_100, 20_000))) for _ in range(30)]
    names = random.choice(((), ("title", "batch_id", "pinterest_link"), ("media_storage_path", "é")))
    posts = [
        {**post, "description": text, **{name: long_text(random, 2_000) for name in names}} for text in texts
    ]
    return json.dumps({"posts": posts}, ensure_ascii=random.random() < 0.5).encode()[:most]


def many_pairs(random: Random, names: list[str]) -> str:
    """Return a query or form with many fields, or one long one."""
    name = random.choice([*names, "", "a"])
    pair = random.choice(("&", ";&", f"{name}=&", f"{name}=%41&", f"{name}=1&", f"{name}=%ff&", "a%2"))
    long = random.choice(("a", "%41", "+", "%F0%9F%91%A9", "=", "."))
    if random.random() < 0.5:
        return (pair * _HEAD_BYTES)[:_HEAD_BYTES].rpartition("&")[0]
    return f"{name}=" + long * (_HEAD_BYTES // len(long))


def many_headers(random: Random) -> list[tuple[bytes, bytes]]:
    """Return many different headers, or a long one."""
    names = (b"X-A", b"Cookie", b"Accept", b"Content-Type", b"Range", b"Last-Event-ID", b"X-Forwarded-For")
    name = random.choice(names)
    if random.random() < 0.5:
        return [(name, b"a")] * random.choice((90, 1_000, 3_000))
    value = random.choice((b"a", b";", b"a=b; ", b",", b"1.1.1.1, ", b"bytes=0-1,", b"\xe9", b'"', b"\\101"))
    if random.random() < 0.3:  # a quoted value is unquoted
        return [(name, b'a="' + (value * _HEAD_BYTES)[:_HEAD_BYTES] + b'"')]
    return [(name, (value * _HEAD_BYTES)[:_HEAD_BYTES].strip() or b"x")]


def long_path(random: Random) -> str:
    """Return a path segment."""
    return random.choice(("a", "%2F", "..%2F", "%F0%9F%91%A9", "-", "0")) * 600


def _of_values(random: Random, example: dict[str, Any], fields: list[str], most: int) -> bytes:
    value, name = random.choice(VALUES), random.choice([*fields, "a"])
    head = json.dumps(example)[:-1] + ("," if example else "")
    count = (most - len(head) - len(name) - 20) // (len(value) + 1)
    return f'{head}"{name}":[{",".join([value] * count)}]}}'.encode()


def _of_keys(random: Random, example: dict[str, Any], fields: list[str], most: int) -> bytes:
    own = random.random() < 0.5
    pairs = (f'"{"" if own else format(n, "x")}":{random.choice(("0", "[]"))}' for n in range(most // 12))
    inner = ",".join(pairs)
    name = random.choice([*fields, "a"])
    return f'{json.dumps(example)[:-1]}{"," if example else ""}"{name}":{{{inner}}}}}'.encode()


def _of_a_text(random: Random, example: dict[str, Any], fields: list[str], most: int) -> bytes:
    names = random.choices([*fields, "a"], k=random.choice((1, 1, 3)))
    length = most // len(set(names)) - 2_000
    texts = {name: long_text(random, length // random.choice((1, 3, 6, 12))) for name in names}
    prefix = random.choice(("", "", "http://", "https://a.example/", "2035-01-01T00:00:00."))
    changed = {name: prefix + text for name, text in texts.items()}
    return json.dumps({**example, **changed}, ensure_ascii=random.random() < 0.5).encode("utf-8", "replace")


def _of_few_values(random: Random, example: dict[str, Any], fields: list[str], _most: int) -> bytes:
    inner = [json.loads(random.choice(VALUES)) for _ in range(1_200)]
    return json.dumps({**example, **dict.fromkeys(random.choices(fields or ["a"], k=2), inner)}).encode()


def _of_blanks(random: Random, example: dict[str, Any], _fields: list[str], most: int) -> bytes:
    blank = random.choice((b" ", b"\n", b"\\", b'"', b"[", b"\xff", b"1", b'"\\', b'{"a":'))
    return (blank * most)[: most - 4_000] + json.dumps(example).encode()
