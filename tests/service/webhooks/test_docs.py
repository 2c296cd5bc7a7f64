"""What `docs/webhooks.md` says is so: its snippets run on real deliveries, and it names everything."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from standardwebhooks import WebhookVerificationError

from app.contract.enums import EventType
from app.contract.webhooks import Event, PostFailedData, PostPublishedData
from tests.service.webhooks.conftest import Signed
from tests.service.webhooks.test_testing import DATA

PAGE = (Path(__file__).parents[3] / "docs" / "webhooks.md").read_text("utf-8")
_CALL = """
import { readFileSync } from "node:fs";
import { isGenuine } from "./snippet.mjs";
const { secret, body, signature } = JSON.parse(readFileSync(0, "utf8"));
const bytes = Buffer.from(body);
console.log([isGenuine(secret, bytes, signature), isGenuine(secret, body + " ", signature),
  isGenuine(secret + "x", bytes, signature), isGenuine(secret, bytes, signature.slice(0, -1))].join());
"""


def snippets(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_the_python_snippets_verify(signed: Signed) -> None:
    names: dict[str, Any] = {}
    for snippet in snippets("python"):
        exec(snippet, names)  # noqa: S102  it stands in our own page
    body = signed.request.body

    assert names["is_genuine"](signed.secret, body, signed.signature) is True
    for secret, changed, signature in [
        (signed.secret, body + b" ", signed.signature),
        (f"{signed.secret}x", body, signed.signature),
        (signed.secret, body, signed.signature[:-1]),
        (signed.secret, body, "ä"),
    ]:
        assert names["is_genuine"](secret, changed, signature) is False
    assert names["event_of"](signed.secret, body, signed.standard) == signed.request.event
    with pytest.raises(WebhookVerificationError):
        names["event_of"](signed.secret, body + b" ", signed.standard)


def test_the_node_snippet_verifies(signed: Signed, tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("the snippet for Node needs node")
    [snippet] = snippets("js")
    (tmp_path / "snippet.mjs").write_text(snippet, "utf-8")
    (tmp_path / "call.mjs").write_text(_CALL, "utf-8")
    given = {
        "secret": signed.secret,
        "body": signed.request.body.decode(),
        "signature": signed.signature,
    }

    called = subprocess.run(
        [node, "call.mjs"], cwd=tmp_path, input=json.dumps(given), capture_output=True, text=True, check=True
    )

    assert called.stdout.strip() == "true,false,false,false"


@pytest.mark.parametrize("model", [Event, PostPublishedData, PostFailedData, *set(DATA.values())])
def test_every_field_is_named(model: type[BaseModel]) -> None:
    assert [name for name in model.model_fields if f"`{name}`" not in PAGE] == []


@pytest.mark.parametrize("event_type", EventType)
def test_every_event_is_named(event_type: EventType) -> None:
    assert f"| `{event_type.value}` |" in PAGE
