"""What the service says of platforms, in another language."""

import asyncio
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from app.contract.enums import ConnectionPlatform
from app.desktop.setup import wording
from app.desktop.setup.wording import in_words
from app.language import use
from app.platforms.base import AppCredentials
from app.service.connections import account_checks
from app.service.connections.apps import Addresses
from app.service.connections.platforms import Platforms
from app.service.connections.set_up import SetUps


@pytest.fixture(autouse=True)
def german() -> Iterator[None]:
    use("de")
    yield
    use("en")


@pytest.mark.parametrize(
    "origin", ["http://127.0.0.1:17217", "https://plan.okafor.studio", "http://plan.test"]
)
@pytest.mark.parametrize("secret", [None, ""])
def test_the_tests_of_every_platform_are_known(origin: str, secret: str | None) -> None:
    apps = dict.fromkeys(ConnectionPlatform, AppCredentials("app", secret)) if secret is not None else {}
    set_ups = SetUps(Platforms({}, apps), Addresses(origin), {}, practice=False, unreachable={})
    for setup in set_ups.all():
        for check in asyncio.run(set_ups.test(setup.platform)).checks:
            assert in_words(check.message) != check.message


@pytest.mark.parametrize("own_words", ["", "Spend cap reached."])
def test_why_the_last_post_was_refused_is_said_in_the_language_of_the_app(own_words: str) -> None:
    advice = (
        "The app that Kalends uses has no credits left on X. Buy credits there, then schedule the post again."
    )
    attempt: Any = SimpleNamespace(advice=advice, platform_message=own_words)
    check = account_checks._refused(ConnectionPlatform.X, attempt)
    assert check.message.startswith(f"X refused your last post. {advice}")
    said = in_words(check.message)
    assert said.startswith(
        "X hat deinen letzten Beitrag abgelehnt. Die App, die Kalends verwendet, hat auf X"
    )
    assert said.endswith(f"X sagt: {own_words}" if own_words else "plane den Beitrag dann erneut.")


def test_what_to_do_and_to_know_is_said_in_the_language_of_the_app() -> None:
    set_ups = SetUps(Platforms({}, {}), Addresses("http://plan.test"), {}, practice=False, unreachable={})
    for setup in set_ups.all():
        assert len(wording.steps(setup)) == len(setup.steps)
        assert len(wording.remarks(setup)) == len(setup.remarks)
        english = {*setup.steps, *setup.remarks}
        assert english.isdisjoint((*(step.text for step in wording.steps(setup)), *wording.remarks(setup)))


def test_practice_platforms_have_no_remarks() -> None:
    set_ups = SetUps(Platforms({}, {}), Addresses("http://plan.test"), {}, practice=True, unreachable={})
    assert not any(wording.remarks(setup) for setup in set_ups.all())


def test_values_stay() -> None:
    assert in_words("api.x.com can be reached.") == "api.x.com ist erreichbar."
    assert in_words("Couldn't reach api.x.com: Connection refused.").startswith("api.x.com ist nicht")


def test_what_is_not_known_stays_as_it_is() -> None:
    assert in_words("The moon is full.") == "The moon is full."
