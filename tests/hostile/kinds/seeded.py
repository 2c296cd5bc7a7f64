"""Random services from a seed: most responses are right, the others are arbitrary."""

import json
from random import Random
from typing import Any, Final

from tests.fuzzing.busy.payloads import VALUES, long_text
from tests.hostile.companion import CALM
from tests.hostile.variation import Variation
from tests.hostile.wire import Asked, Bend, Reply

PREFIX: Final = "seed-"
_MOST: Final = 14 * 1024 * 1024
_SIZES: Final = (200, 20_000, 400_000)
_RAW_SIZES: Final = (200, 400_000, 3_000_000, _MOST)
_STATUSES: Final = (200, 200, 201, 204, 301, 400, 401, 403, 404, 408, 429, 500, 503, 599)
_HEADERS: Final = (
    {"Retry-After": "0"},
    {"Retry-After": "9" * 40},
    {"Retry-After": "Wed, 21 Oct 2015 07:28:00 +99999999999999999"},
    {"Content-Type": "text/html; charset=idna"},
    {"X-Request-Id": "x" * 6_000},
    {"Content-Encoding": "gzip"},
)


def seeded(name: str) -> Variation:
    """Return the variation of a name such as ``seed-17``."""
    random = Random(name)  # noqa: S311  not for security
    return Variation(name, _bend(random, random.choice((0.1, 0.4, 0.9))), stream=CALM)


def _bend(random: Random, share: float) -> Bend:
    """Bend this share of all responses."""

    def bent(_asked: Asked, reply: Reply) -> Reply:
        if random.random() > share:
            return reply
        return random.choice((_changed, _changed, _raw, _failed))(random, reply)

    return bent


def _changed(random: Random, reply: Reply) -> Reply:
    """Change one value."""
    return reply.but(body=_with_another(random, reply.body))


def _with_another(random: Random, value: Any) -> Any:
    if isinstance(value, dict) and value and random.random() < 0.9:
        name = random.choice(list(value))
        return {**value, name: _with_another(random, value[name])}
    if isinstance(value, list) and value and random.random() < 0.8:
        if random.random() < 0.2:
            return value * random.choice((2, 50, 500))
        place = random.randrange(len(value))
        return [*value[:place], _with_another(random, value[place]), *value[place + 1 :]]
    return _anything(random, random.choice(_SIZES))


def _anything(random: Random, size: int) -> Any:
    piece = json.loads(random.choice(VALUES))
    match random.randrange(4):
        case 0:
            return random.choice((None, True, -1, 10**30, 1e308, piece))
        case 1:
            return [piece] * (size // 8)
        case 2:
            return {format(number, "x"): piece for number in range(size // 12)}
    return long_text(random, size)


def _raw(random: Random, reply: Reply) -> Reply:
    """Return bytes that may be JSON."""
    size, value = random.choice(_RAW_SIZES), random.choice(VALUES).encode()
    match random.randrange(6):
        case 0 | 1:
            content = b'{"data":[' + (value + b",") * (size // (len(value) + 1)) + value + b"]}"
        case 2:
            content = b'{"data":"' + b"\\\\" * (size // 2) + b'"}'
        case 3:
            content = long_text(random, size).encode("utf-8", "replace")
        case 4:
            content = random.randbytes(min(size, 400_000))
        case _:
            content = random.choice((b"", b"[" * (size // 30)))
    return reply.but(raw=content[:_MOST], manner=random.choice(("whole", "whole", "chunked", "cut", "old")))


def _failed(random: Random, reply: Reply) -> Reply:
    """Return another status, with arbitrary headers."""
    status = random.choice(_STATUSES)
    if random.random() < 0.2:
        return reply.but(manner="dropped")
    return reply.but(status=status, headers=random.choice(_HEADERS), body=_with_another(random, reply.body))
