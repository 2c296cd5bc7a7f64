"""What a key may still do."""

from pathlib import Path
from typing import Any

from app.contract.enums import Action
from app.service.accounts.accounts import Plan, change_account
from app.service.settings import RunOptions
from tests.service.running import Caller, RunningService, run_service


def quotas(caller: Caller) -> dict[str, dict[str, Any]]:
    answer = caller.http.get(f"{caller.service.base_url}/companion/v1/quotas")
    assert answer.status_code == 200
    return {quota["action"]: quota for quota in answer.json()["data"]}


def test_every_action_is_told_with_what_is_left_to_the_key(service: RunningService, caller: Caller) -> None:
    service.database.write_now(lambda rows: change_account(rows, caller.account_id, plan=Plan.FREE))
    told = quotas(caller)
    assert set(told) == {action.value for action in Action}
    assert told["rest.posts.bulk"] == {
        "action": "rest.posts.bulk",
        "limit": 10,
        "remaining": 10,
        "window_seconds": 60,
        "full_in_seconds": 0,
    }
    for _ in range(3):
        caller.http.post("/posts/bulk", json={})
    after = quotas(caller)
    assert after["rest.posts.bulk"]["remaining"] == 7
    assert 0 < after["rest.posts.bulk"]["full_in_seconds"] <= 18
    assert {name: quota["remaining"] for name, quota in after.items() if name != "rest.posts.bulk"} == {
        name: quota["remaining"] for name, quota in told.items() if name != "rest.posts.bulk"
    }


def test_where_calls_are_not_limited_there_is_no_number(tmp_path: Path) -> None:
    run = RunOptions(practice_url="http://practice.invalid", rate_limit=False)
    with run_service(tmp_path, {}, run) as service:
        told = quotas(service.new_caller())
        assert {(quota["limit"], quota["remaining"]) for quota in told.values()} == {(None, None)}
        service.forget_callers()
