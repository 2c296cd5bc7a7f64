"""Trying rules: most of them side by side, since they mostly wait; those that want to be alone, afterwards."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from subprocess import SubprocessError
from typing import Final

import httpx

from tests.conformance.outcome import BrokenError, NotTriedError, Outcome, Result
from tests.conformance.register import Rule
from tests.conformance.stage import Shared, Stage

Report = Callable[[Rule, Outcome], None]

_SIDE_BY_SIDE: Final = 24


def run(shared: Shared, chosen: Sequence[Rule], report: Report) -> None:
    """Tries every rule and reports each as soon as it is known, from whichever thread."""

    def tried(rule: Rule) -> None:
        report(rule, attempt(shared, rule))

    with ThreadPoolExecutor(_SIDE_BY_SIDE, "rule") as pool:
        list(pool.map(tried, [rule for rule in chosen if not rule.alone]))
    for rule in chosen:
        if rule.alone:
            tried(rule)


def attempt(shared: Shared, rule: Rule) -> Outcome:
    """Tries one rule; whatever goes wrong is an outcome, with the reason in words."""
    try:
        with Stage(shared) as stage:
            rule.check(stage)
    except NotTriedError as missing:
        return Outcome(Result.NOT_TRIED, str(missing))
    except BrokenError as broken:
        return Outcome(Result.FAILS, str(broken))
    except (httpx.HTTPError, OSError, LookupError, TypeError, ValueError, SubprocessError) as error:
        # An answer too far from the specification to be read, or none at all.
        return Outcome(Result.FAILS, f"{type(error).__name__}: {error}")
    return Outcome(Result.HOLDS)
