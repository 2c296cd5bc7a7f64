"""JSON of a few megabytes that would become millions of objects is refused before it is read."""

import pytest

from app.contract.limits import BULK_POSTS_MAX
from app.service.openapi.document import Operation
from tests.service.running import Caller
from tests.service.test_bad_input import WITH_BODY, name_of, url_of

MANY = {
    "keys": b'{"a":{' + b'"":0,' * 10_000 + b'"":0}}',
    "objects": b'{"a":[' + b"{}," * 10_000 + b"{}]}",
    "lists": b'{"a":[' + b"[[[]]]," * 3_000 + b"[]]}",
}


@pytest.mark.parametrize(("prefix", "operation"), WITH_BODY, ids=name_of)
@pytest.mark.parametrize("kind", MANY)
def test_a_body_of_very_many_values_is_refused(
    caller: Caller, prefix: str, operation: Operation, kind: str
) -> None:
    url = url_of(caller, prefix, operation)
    answer = caller.http.request(operation.method.upper(), url, content=MANY[kind])
    assert answer.status_code == 400
    [issue] = answer.json()["error"]["details"]["errors"]
    assert issue == {
        "field": "",
        "message": "The request body has more than 5000 values.",
        "type": "too_many_values",
    }


def test_the_most_and_longest_posts_with_fields_of_others_are_taken(caller: Caller) -> None:
    account = caller.connect()
    others = {f"field_{number}": [number, {"a": None}] for number in range(30)}
    posts = [
        caller.post_body(account, description=f"{n:02}" + '\\",[{é' * 200, **others)
        for n in range(BULK_POSTS_MAX)
    ]
    result = caller.http.post("/posts/bulk", json={"posts": posts}).json()
    assert result["inserted"] == BULK_POSTS_MAX, result
