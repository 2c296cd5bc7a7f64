"""Every endpoint of the companion is limited, by account and by what it does."""

from collections.abc import Iterator
from uuid import uuid4

import pytest

from app.contract.limits import COMPANION_PREFIX
from app.service.accounts.accounts import Plan, change_account
from app.service.companion.routes import ROUTERS
from app.service.limits import LimitSettings, PlanLimits
from app.service.settings import Settings
from tests.service.running import Caller, RunningService, run_service

ROUTES = sorted(
    (method, route.path.removeprefix(COMPANION_PREFIX))
    for router in ROUTERS
    for route in router.under(COMPANION_PREFIX)
    for method in route.methods or ()
)


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service on which one call of a kind is enough."""
    settings = Settings(limits=LimitSettings(free=PlanLimits(read=2, write=1, file=1)))
    with run_service(tmp_path_factory.mktemp("strict"), {}, settings=settings) as service:
        yield service
        service.forget_callers()


@pytest.fixture
def caller(strict: RunningService) -> Caller:
    made = strict.new_caller()
    strict.database.write_now(lambda rows: change_account(rows, made.account_id, plan=Plan.FREE))
    return made


def _call(caller: Caller, method: str, path: str) -> int:
    filled = path.replace("{platform}", "x").replace("{storage_path:path}", "a/b.png")
    filled = filled.replace("{name}", "posts.ndjson")
    for name in ("post_id", "place_id", "connection_id", "attempt_id", "delivery_id", "key_id"):
        filled = filled.replace(f"{{{name}}}", str(uuid4()))
    assert "{" not in filled
    with caller.http.stream(method, f"{caller.service.base_url}/companion/v1{filled}") as answer:
        return answer.status_code


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_a_call_too_many_is_refused(caller: Caller, method: str, path: str) -> None:
    allowed = 2 if method == "GET" and "{name}" not in path else 1
    told = [_call(caller, method, path) for _ in range(allowed + 1)]

    assert 429 not in told[:allowed]
    assert told[-1] == 429


def test_a_second_key_of_the_account_gains_no_calls(strict: RunningService, caller: Caller) -> None:
    _, key = strict.new_key(caller.account_id)
    other = Caller(strict, caller.account_id, key)
    strict.callers.append(other)

    assert _call(caller, "POST", "/sign-in-link") == 201
    assert _call(other, "POST", "/sign-in-link") == 429
    assert _call(other, "GET", "/keys") == 200
