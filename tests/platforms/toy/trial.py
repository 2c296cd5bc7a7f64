"""Run in a copy of the program to which the toy was added: ``python -m tests.platforms.toy.trial FOLDER``."""

import asyncio
import sys
from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from pydantic import BaseModel, ValidationError

from app.contract.connections import ConnectionListQuery, InitiateConnection
from app.contract.enums import ConnectionPlatform, PostingPlatform, PostType
from app.contract.posts import CreatePost, PostListQuery
from app.desktop.history.wording import page_at
from app.desktop.theme.icons import platform_icon
from app.desktop.theme.tokens import LIGHT
from app.desktop.words import handle, platform_name
from app.platforms.adapters import Adapter
from app.platforms.base import LookBack, LookBackOutcome, Published
from app.platforms.rules import check
from app.service.connections.apps import Addresses
from app.service.connections.platforms import Platforms
from app.service.connections.set_up import SetUps
from app.service.openapi.__main__ import files
from app.service.publishing.pacing import PACES
from tests.architecture.sources import ROOT
from tests.platforms.world import Practice, connect, program

TOY = ConnectionPlatform("toy")


def publish_and_find(data: Path) -> None:
    """Connect an account of the stand-in, publish to it, and look for what was published."""
    begun = datetime.now(UTC) - timedelta(seconds=1)
    with program(data) as url, httpx.Client(base_url=url, trust_env=False, timeout=20) as http:
        practice = Practice(url, http)
        member = connect(practice, TOY)
        post = member.post("Wool, and how to wash it")

        async def look(adapter: Adapter, known: Collection[str] = ()) -> LookBack:
            return await adapter.look_back(post, since=begun, known=known)

        assert practice.run(TOY, look).outcome is LookBackOutcome.ABSENT
        published: Published = practice.run(TOY, lambda adapter: adapter.publish(post))
        [entry] = practice.ledger(post.account_identifier)
        assert (entry["platform"], entry["text"]) == ("toy", post.text)
        assert practice.run(TOY, look).item == published
        assert post.text in http.get(str(published.url), follow_redirects=True).text


def check_rules() -> None:
    """Its limits are checked, and named, like any other's."""
    [issue] = check(platform=PostingPlatform("toy"), post_type=PostType.TEXT, title=None, text="a" * 501)
    assert (issue.field, issue.type) == ("description", "too_long")
    assert "Toy" in issue.message
    assert "toy" not in PACES


def check_window() -> None:
    """The window knows its name, its colour, its mark and its pages."""
    assert platform_name(TOY) == "Toy"
    assert handle("maya", TOY) == "@maya"
    assert LIGHT.brand(TOY)[0] == "#336699"
    assert platform_icon(TOY) == "brand:toy"
    assert page_at(TOY, "12", practice=False) == "https://toy.example/notes/12"


def check_contract() -> None:
    """No endpoint of the specification accepts it, lists it, or says that it exists."""
    post = {"social_account_id": "00000000-0000-4000-8000-000000000000", "platform": "toy"}
    bodies: list[tuple[type[BaseModel], dict[str, str]]] = [
        (CreatePost, {**post, "post_type": "text", "description": "Wool"}),
        (InitiateConnection, {"platform": "toy", "redirect_url": "https://example.com/"}),
        (PostListQuery, {"platform": "toy"}),
        (ConnectionListQuery, {"platform": "toy"}),
    ]
    for model, body in bodies:
        with pytest.raises(ValidationError) as refused:
            model.model_validate(body)
        assert ("platform",) in [one["loc"] for one in refused.value.errors()], refused.value
    for name, text in files():
        assert (ROOT / "docs" / name).read_text("utf-8") == text, name
    set_ups = SetUps(Platforms({}, {}), Addresses("http://plan.test"), {}, practice=False, unreachable={})
    assert TOY not in [one.platform for one in set_ups.all()]
    assert asyncio.run(set_ups.test(TOY)).passed is False


if __name__ == "__main__":
    publish_and_find(Path(sys.argv[1]))
    check_rules()
    check_window()
    check_contract()
    print("tried")
