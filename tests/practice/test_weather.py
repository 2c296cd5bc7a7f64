"""Bad weather: calls that fail at random, and their effects."""

from collections import Counter
from collections.abc import Callable, Iterator

import httpx
import pytest

from app.practice.faults import FaultKind, Faults, Operation, Weather
from app.practice.settings import Settings
from app.practice.store import Store
from tests.practice.conftest import Clock
from tests.practice.programs import LinkedInProgram, XProgram

Change = Callable[..., None]


@pytest.fixture
def change(practice: httpx.Client) -> Iterator[Change]:
    """Change the weather, and reset it afterwards."""

    def to(**shares: float) -> None:
        assert practice.post("/weather", json=shares).status_code == 201

    yield to
    to()


def test_a_lost_answer_comes_after_the_publication_and_at_once(x: XProgram, change: Change) -> None:
    change(lost=1)
    with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):
        x.publish("Hello")
    change()
    assert [entry["text"] for entry in x.published()] == ["Hello"]


def test_a_server_error_publishes_nothing(x: XProgram, change: Change) -> None:
    change(error_500=1)
    assert x.publish("Hello").status_code == 500
    assert x.published() == []


def test_a_rate_limit_says_how_long(linkedin: LinkedInProgram, change: Change) -> None:
    change(rate_limit=1, retry_after_s=3)
    refused = linkedin.publish("Hello")
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "3")
    assert linkedin.published() == []


def test_a_token_that_ends_is_renewed_by_its_refresh_token(x: XProgram, change: Change, clock: Clock) -> None:
    change(expired_token=1)
    assert x.publish("A token that is new does not end").status_code == 201
    clock.ahead += 60
    assert x.publish("Hello").status_code == 401
    change()
    assert x.publish("Hello").status_code == 401
    x.tokens = x.refresh().json()
    assert x.publish("Hello").status_code == 201


def test_refreshes_keep_their_consent(x: XProgram, linkedin: LinkedInProgram, change: Change) -> None:
    change(expired_token=1)
    assert x.refresh().status_code == 200
    change(lost=1)
    with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):
        linkedin.refresh()
    change()
    assert linkedin.refresh().status_code == 200


def test_a_refresh_that_spends_its_token_is_not_lost(x: XProgram, change: Change) -> None:
    change(lost=1)
    x.tokens = x.refresh().json()
    change()
    assert x.refresh().status_code == 200


def test_the_same_seed_brings_the_same_faults_in_the_shares_that_were_asked(store: Store) -> None:
    def suffered() -> list[FaultKind | None]:
        faults = Faults(store)
        faults.change(Weather(seed=7, lost=0.02, error_500=0.03, rate_limit=0.02))
        taken = [faults.take("x", Operation.PUBLISH, "1") for _ in range(10_000)]
        return [fault.kind if fault else None for fault in taken]

    first = suffered()
    assert first == suffered()
    counts = Counter(first)
    assert set(counts) == {
        None,
        FaultKind.TIMEOUT_AFTER_ACCEPT,
        FaultKind.ERROR_500,
        FaultKind.RATE_LIMIT,
    }
    assert 150 < counts[FaultKind.TIMEOUT_AFTER_ACCEPT] < 250
    assert 250 < counts[FaultKind.ERROR_500] < 350


@pytest.mark.parametrize(
    ("body", "field"), [({"lost": 2}, "lost"), ({"seed": "x"}, "seed"), ({"rain": 1}, "rain")]
)
def test_wrong_weather_names_its_field(practice: httpx.Client, body: dict[str, object], field: str) -> None:
    answer = practice.post("/weather", json=body)
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)


@pytest.fixture
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    opened = Store(Settings(tmp_path_factory.mktemp("weather")).data)
    yield opened
    opened.close()
