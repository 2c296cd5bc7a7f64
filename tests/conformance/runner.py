"""Runs rules in parallel, because they mostly wait, some with their own account."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from queue import SimpleQueue
from subprocess import SubprocessError
from typing import Final

import httpx

from tests.conformance.outcome import BrokenError, NotTriedError, Outcome, Result
from tests.conformance.register import Rule
from tests.conformance.shared import Shared
from tests.conformance.stage import Stage
from tests.conformance.target import SPARE

Report = Callable[[Rule, Outcome], None]

_SIDE_BY_SIDE: Final = 16


def run(shared: Shared, chosen: Sequence[Rule], report: Report) -> None:
    """Run every rule and report each outcome immediately, from any thread.

    Rules that have to run alone get a spare account each. Without spare accounts, they run last, one by one.
    """
    spares = [f"{SPARE}{number}" for number in range(len(shared.target.spare_keys))]
    free: SimpleQueue[str] = SimpleQueue()
    for key in spares or ["main"]:
        free.put(key)

    def together(rule: Rule) -> None:
        report(rule, attempt(shared, rule, "main"))

    def alone(rule: Rule) -> None:
        key = free.get()
        report(rule, attempt(shared, rule, key))
        free.put(key)

    with ThreadPoolExecutor(_SIDE_BY_SIDE) as many, ThreadPoolExecutor(len(spares) or 1) as few:
        tried = [many.submit(together, rule) for rule in chosen if not rule.alone]
        if not spares:
            wait(tried)
        tried += [few.submit(alone, rule) for rule in chosen if rule.alone]
        for one in tried:
            one.result()


def attempt(shared: Shared, rule: Rule, key: str) -> Outcome:
    """Run a rule with a named key. Every error becomes an outcome with a reason."""
    began = time.monotonic()
    return replace(_attempt(shared, rule, key), seconds=time.monotonic() - began)


def _attempt(shared: Shared, rule: Rule, key: str) -> Outcome:
    try:
        with Stage(shared, key) as stage:
            rule.check(stage)
    except NotTriedError as missing:
        return Outcome(Result.NOT_TRIED, str(missing))
    except BrokenError as broken:
        return Outcome(Result.FAILS, str(broken))
    except (httpx.HTTPError, OSError, LookupError, TypeError, ValueError, SubprocessError) as error:
        # An answer too far from the specification to be read, or none at all.
        return Outcome(Result.FAILS, f"{type(error).__name__}: {error}")
    return Outcome(Result.HOLDS)
