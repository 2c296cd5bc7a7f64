"""Two answers of the same second are two proofs: the clock may have been set between them."""

from datetime import UTC, datetime

from app.platforms.http import TheirClock


def test_every_answer_is_heard_also_within_one_second() -> None:
    heard: list[float] = []
    clock = TheirClock(lambda: datetime.now(UTC), lambda _theirs, asked: heard.append(asked))
    for asked in (1.0, 1.4):
        clock.note("Mon, 02 Mar 2026 09:22:15 GMT", asked)
    assert heard == [1.0, 1.4]
