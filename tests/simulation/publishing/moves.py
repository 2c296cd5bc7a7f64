"""Every change of a post or an attempt: those that are allowed, and how those that happen are counted."""

from typing import Final

from app.service.publishing.history import Step

BRANCHES: Final = (
    "(none) > scheduled or queued",
    "scheduled > queued",
    "scheduled > processing",
    "queued > processing",
    "processing > posted",
    "processing > failed",
    "queued > failed",
    "scheduled > failed",
    "scheduled > cancelled",
    "queued > cancelled",
    "processing > cancelled",
    "posted > cancelled",
    "failed > cancelled",
    "cancelled > scheduled",
    "cancelled > posted",
    "scheduled > posted",  # both in an older copy of the store: it was live already
    "queued > posted",
    *(f"attempt > {step}" for step in Step),
    "attempt pending > published",
    "attempt pending > refused",
    "attempt pending > transient",
    "attempt pending > lost",
    "attempt lost > published",
    "attempt lost > transient",
    "attempt lost > refused",  # its answer came after all: a duplicate of the first call
    "attempt lost > unknown",
    "attempt transient > lost",  # it counted as absent, but the platform refuses a copy of it
    # in an inbox
    "attempt pending > in_inbox",
    "attempt lost > in_inbox",
    "attempt in_inbox > published",
    "attempt transient > published",  # it counted as absent, and a later look found it
    # by hand
    "attempt pending > handed_over",
    "attempt handed_over > published",
    "attempt published > handed_over",
    "failed > posted",
    "posted > scheduled",
    "posted > processing",
    "queued > scheduled",
    "processing > scheduled",
)
"""Every change that specification, ``publishing/states.py`` and ``docs/correctness.md`` allow to happen."""
WATCH: Final = """
CREATE TABLE moves (former TEXT, later TEXT);
CREATE TRIGGER watch_posts AFTER UPDATE OF status ON posts WHEN old.status <> new.status
BEGIN INSERT INTO moves VALUES (old.status, new.status); END;
CREATE TRIGGER watch_begun AFTER INSERT ON attempts
BEGIN INSERT INTO moves VALUES ('attempt', new.step); END;
CREATE TRIGGER watch_attempts AFTER UPDATE OF outcome, finished_at ON attempts
BEGIN INSERT INTO moves
SELECT 'attempt ' || iif(old.outcome = 'unknown' AND old.finished_at IS NULL, 'lost', old.outcome),
iif(new.outcome = 'unknown' AND new.finished_at IS NULL, 'lost', new.outcome); END;
"""
MOVES: Final = """
SELECT former || ' > ' || later, count(*) FROM moves WHERE former <> 'attempt ' || later GROUP BY 1 ORDER BY 1
"""
