"""The set-up of platforms: what is told of it and to whom, and what is found without anybody's consent."""

import ssl
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from app.contract.enums import ConnectionPlatform, KeyScope, PostingPlatform, PostType
from app.contract.platform_setup import Check, CheckOutcome, PlatformSelfTest, PlatformSetup
from app.platforms.base import AppCredentials, FailureKind, PlatformError
from app.platforms.rules import RULES
from app.service.accounts.accounts import Plan, change_account
from app.service.connections.apps import Addresses, Apps, OwnApp
from app.service.connections.platforms import Platforms
from app.service.connections.set_up import SetUps
from app.service.http_server import listen, origin
from app.service.store.seal import Seal
from tests.service.platforms import ScriptedAdapter
from tests.service.programs import serving
from tests.service.running import Caller, RunningService
from tests.service.test_envelope import envelope
from tests.workspace.programs import enrol

LINKEDIN, X, FACEBOOK = ConnectionPlatform.LINKEDIN, ConnectionPlatform.X, ConnectionPlatform.FACEBOOK
LOOPBACK = "http://127.0.0.1:17217"


def url(caller: Caller, path: str = "") -> str:
    return f"{caller.service.base_url}/companion/v1/platforms{path}"


class Bench:
    """One platform's set-up, without a service around it."""

    def __init__(self, platform: ConnectionPlatform = LINKEDIN) -> None:
        self.platform = platform
        self.adapter = ScriptedAdapter(
            platform, grant=PlatformError(FailureKind.AUTH_EXPIRED, "invalid_grant", "no such code")
        )
        self.credentials: AppCredentials | None = AppCredentials("app", "test-secret")
        self.addresses = Addresses(LOOPBACK)
        self.hosts: set[str] = set()

    def set_ups(self) -> SetUps:
        apps = {self.platform: self.credentials} if self.credentials else {}
        platforms = Platforms({self.platform: self.adapter}, apps)
        return SetUps(platforms, self.addresses, {self.platform: self.hosts}, practice=False, unreachable={})

    def told(self) -> PlatformSetup:
        return next(one for one in self.set_ups().all() if one.platform is self.platform)

    async def test(self) -> PlatformSelfTest:
        return await self.set_ups().test(self.platform)

    async def check(self, name: str) -> Check:
        test = await self.test()
        return next(check for check in test.checks if check.name == name)


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_all_platforms_are_told_with_what_to_register(caller: Caller) -> None:
    answer = caller.http.get(url(caller))

    assert answer.status_code == 200
    told = {one["platform"]: one for one in answer.json()["data"]}
    assert list(told) == [platform.value for platform in ConnectionPlatform]
    assert set(told["linkedin"]) == set(PlatformSetup.model_fields)
    assert told["linkedin"]["redirect_uri"] == f"{caller.service.callback_url}/callback/linkedin"
    assert told["linkedin"]["credentials"] is True
    assert told["facebook"]["credentials"] is False
    assert told["threads"]["publishes"] == []
    assert "test-secret" not in answer.text
    assert "test-app" not in answer.text


def test_what_can_be_published_follows_the_rules(caller: Caller) -> None:
    told = {one["platform"]: one["publishes"] for one in caller.http.get(url(caller)).json()["data"]}

    for platform in PostingPlatform:
        assert {PostType(kind) for kind in told[platform.value]} == RULES[platform].publishable


@pytest.mark.parametrize("plan", [plan for plan in Plan if plan is not Plan.LOCAL])
def test_only_the_owner_of_the_installation_is_told(caller: Caller, plan: Plan) -> None:
    caller.service.database.write_now(lambda rows: change_account(rows, caller.account_id, plan=plan))

    for answer in (caller.http.get(url(caller)), caller.http.post(url(caller, "/x/self-test"))):
        assert envelope(answer).error.code == "forbidden"


def test_a_key_is_needed_and_its_scope(service: RunningService) -> None:
    with service.client({}) as stranger:
        assert stranger.get(f"{service.base_url}/companion/v1/platforms").status_code == 401
    bound = service.new_caller(KeyScope.NONE)
    assert bound.http.get(url(bound)).status_code == 403


@pytest.mark.parametrize("platform", ["myspace", "LINKEDIN", "%00"])
def test_what_is_no_platform_is_not_tested(caller: Caller, platform: str) -> None:
    answer = caller.http.post(url(caller, f"/{platform}/self-test"))

    assert envelope(answer).error.code == "not_found"


def test_a_self_test_over_the_wire(caller: Caller, linkedin: ScriptedAdapter) -> None:
    linkedin.grant = PlatformError(FailureKind.AUTH_EXPIRED, "invalid_grant", "no such code")

    answer = caller.http.post(url(caller, "/linkedin/self-test"))

    assert answer.status_code == 200
    outcomes = {check["name"]: check["outcome"] for check in answer.json()["checks"]}
    assert outcomes["credentials"] == "passed"
    assert outcomes["reach practice.invalid"] == "failed"
    assert outcomes["app"] == "unknown"
    assert answer.json()["passed"] is False
    assert linkedin.exchanges[0]["redirect_uri"] == f"{caller.service.callback_url}/callback/linkedin"


async def test_without_an_app_nobody_is_asked(bench: Bench) -> None:
    bench.credentials = None

    tested = await bench.test()

    assert tested.passed is False
    assert [check.name for check in tested.checks] == ["credentials", "redirect_uri"]
    assert "client_id and client_secret" in tested.checks[0].message
    assert "[platforms.linkedin]" in tested.checks[0].message
    assert bench.adapter.exchanges == []
    assert bench.told().credentials is False


@pytest.mark.parametrize("platform", list(ConnectionPlatform))
def test_a_missing_secret_is_found_where_one_is_needed(platform: ConnectionPlatform) -> None:
    bench = Bench(platform)
    bench.credentials = AppCredentials("app", None)

    assert bench.told().credentials is (platform is X)


@pytest.mark.parametrize(
    ("kind", "outcome", "words"),
    [
        (FailureKind.PERMISSION, CheckOutcome.FAILED, "LinkedIn rejected the app"),
        (FailureKind.AUTH_EXPIRED, CheckOutcome.UNKNOWN, "rejected a made-up code, as it should"),
        (FailureKind.INVALID, CheckOutcome.UNKNOWN, "rejected a made-up code, as it should"),
        (FailureKind.TRANSIENT, CheckOutcome.FAILED, "Couldn't check with"),
        (FailureKind.RATE_LIMITED, CheckOutcome.FAILED, "Couldn't check with"),
    ],
)
async def test_the_platform_is_heard(
    bench: Bench, kind: FailureKind, outcome: CheckOutcome, words: str
) -> None:
    bench.adapter.grant = PlatformError(kind, "code", "its words")

    check = await bench.check("app")

    assert (check.outcome, words in check.message, "its words" in check.message) == (outcome, True, True)


class AppSignIn(ScriptedAdapter):
    """A platform on which the app signs in without a user."""

    answer: PlatformError | None = None

    async def check_app(self, credentials: AppCredentials) -> None:
        assert credentials.client_secret == "test-secret"
        if self.answer is not None:
            raise self.answer


@pytest.mark.parametrize(
    ("kind", "outcome", "words"),
    [
        (None, CheckOutcome.PASSED, "LinkedIn accepted the app's ID and secret."),
        (FailureKind.PERMISSION, CheckOutcome.FAILED, "Copy its ID and secret again."),
        (FailureKind.AUTH_EXPIRED, CheckOutcome.FAILED, "Copy its ID and secret again."),
        (FailureKind.TRANSIENT, CheckOutcome.FAILED, "Couldn't check with"),
    ],
)
async def test_an_app_that_can_sign_in_is_accepted_or_rejected(
    bench: Bench, kind: FailureKind | None, outcome: CheckOutcome, words: str
) -> None:
    bench.adapter = adapter = AppSignIn(LINKEDIN)
    adapter.answer = PlatformError(kind, "code", "its words") if kind is not None else None

    check = await bench.check("app")

    assert (check.outcome, words in check.message) == (outcome, True)
    assert not adapter.exchanges


@pytest.mark.parametrize("platform", list(ConnectionPlatform))
async def test_a_loopback_address_is_no_good_where_the_platform_wants_https(
    platform: ConnectionPlatform,
) -> None:
    refusing = {FACEBOOK, ConnectionPlatform.INSTAGRAM, ConnectionPlatform.THREADS}

    check = await Bench(platform).check("redirect_uri")

    assert check.outcome is (CheckOutcome.FAILED if platform in refusing else CheckOutcome.UNKNOWN)
    assert f"{LOOPBACK}/callback/{platform.value}" in check.message


@pytest.mark.parametrize(
    ("address", "outcome"),
    [
        ("https://plan.example/back", CheckOutcome.UNKNOWN),
        ("http://plan.example/back", CheckOutcome.FAILED),
        ("https://plan.example/back#here", CheckOutcome.FAILED),
    ],
)
async def test_an_address_elsewhere(address: str, outcome: CheckOutcome) -> None:
    bench = Bench(FACEBOOK)
    bench.addresses = Addresses(LOOPBACK, {FACEBOOK: address})

    assert (await bench.check("redirect_uri")).outcome is outcome
    told = bench.told()
    assert (told.redirect_uri, told.by_hand) == (address, True)


async def test_a_public_origin_is_what_is_registered() -> None:
    bench = Bench(FACEBOOK)
    bench.addresses = Addresses("https://plan.example")

    assert bench.told().redirect_uri == "https://plan.example/callback/facebook"
    assert bench.told().by_hand is False
    assert (await bench.check("redirect_uri")).outcome is CheckOutcome.UNKNOWN


@pytest.fixture
def listening() -> Iterator[str]:
    with listen("127.0.0.1", 0) as listener:
        yield origin("http", listener)


async def test_hosts_are_reached_or_not(bench: Bench, listening: str) -> None:
    bench.hosts = {listening}
    assert (await bench.check("reach 127.0.0.1")).outcome is CheckOutcome.PASSED

    bench.hosts = {"https://nowhere.invalid"}
    check = await bench.check("reach nowhere.invalid")
    assert check.outcome is CheckOutcome.FAILED
    assert "Couldn't reach" in check.message


def test_the_terms_are_known_for_every_platform_that_is_talked_to() -> None:
    for platform in ConnectionPlatform:
        told = Bench(platform).told()
        assert told.remarks
        assert all(remark[-1] == "." and "{" not in remark for remark in told.remarks)


@pytest.fixture
def apps(tmp_path: Path) -> Apps:
    return Apps(tmp_path / "apps.sealed", Seal(b"k" * 32), {X: AppCredentials("from-the-file")})


async def test_what_the_owner_sets_is_used_at_once_and_kept_sealed(apps: Apps, tmp_path: Path) -> None:
    await apps.keep(LINKEDIN, OwnApp("app-7", "a-test-secret", "https://back.example/here"))

    again = Apps(tmp_path / "apps.sealed", Seal(b"k" * 32), {})
    for one in (apps, again):
        assert one.credentials[LINKEDIN] == AppCredentials("app-7", "a-test-secret")
        assert one.redirects == {LINKEDIN: "https://back.example/here"}
    assert b"a-test-secret" not in (tmp_path / "apps.sealed").read_bytes()
    assert (tmp_path / "apps.sealed").stat().st_mode & 0o077 == 0
    assert "a-test-secret" not in repr(OwnApp("app-7", "a-test-secret"))
    await apps.keep(LINKEDIN, None)
    assert (dict(apps.credentials), apps.redirects) == ({X: AppCredentials("from-the-file")}, {})


async def test_the_settings_file_goes_before_what_was_set(apps: Apps, tmp_path: Path) -> None:
    await apps.keep(X, OwnApp("set-here", redirect_uri="https://back.example/"))

    assert apps.is_in_settings(X)
    assert apps.credentials[X].client_id == "from-the-file"
    assert apps.redirects == {}
    assert Apps(tmp_path / "apps.sealed", Seal(b"k" * 32), {}).credentials[X].client_id == "set-here"


@pytest.mark.parametrize("content", [b"", b"x" * 64])
async def test_a_damaged_file_is_no_app_and_is_replaced(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "apps.sealed"
    path.write_bytes(content)
    apps = Apps(path, Seal(b"k" * 32), {})
    assert dict(apps.credentials) == {}
    await apps.keep(X, OwnApp("id"))
    assert X in Apps(path, Seal(b"k" * 32), {}).credentials


def test_apps_that_only_the_settings_tell_of_cannot_be_set(caller: Caller) -> None:
    path = url(caller, "/tiktok/app")
    for answer in (caller.http.put(path, json={"client_id": "id"}), caller.http.delete(path)):
        assert envelope(answer).error.code == "forbidden"


@pytest.mark.parametrize(
    "body", [{}, {"client_id": ""}, {"client_id": "a", "redirect_uri": "kalends://x"}, {"client_id": 7}]
)
def test_a_wrong_app_is_refused(caller: Caller, body: dict[str, object]) -> None:
    answer = caller.http.put(url(caller, "/tiktok/app"), json=body)
    assert envelope(answer).error.code == "validation_error"


def test_an_app_is_set_in_a_running_service_and_used_for_the_next_consent(tmp_path: Path) -> None:
    """No practice platforms: the address of the consent is made, and nobody goes there."""
    with serving(tmp_path / "data", log=tmp_path / "log") as service:
        _, key = enrol(tmp_path / "data")
        trust = ssl.create_default_context(cafile=service.ready["ca_file"])
        headers = {"Authorization": f"Bearer {key}"}
        with httpx.Client(base_url=service.base_url, headers=headers, verify=trust, trust_env=False) as http:
            begin = {"platform": "tiktok"}
            assert http.post("/api/v1/connections/initiate", json=begin).status_code == 400
            app = {"client_id": "my-app", "client_secret": "my-test-secret"}
            told = http.put("/companion/v1/platforms/tiktok/app", json=app)
            assert (told.json()["credentials"], told.json()["changeable"]) == (True, True)
            assert "my-test-secret" not in told.text
            begun = http.post("/api/v1/connections/initiate", json=begin).json()["connect_url"]
            query = parse_qs(urlsplit(begun).query)
            assert query["client_key"] == ["my-app"]
            assert {"video.publish", "video.upload"} <= set(query["scope"][0].split(","))
            assert told.json()["inbox_only"] is False
            told = http.put("/companion/v1/platforms/tiktok/app", json=app | {"inbox_only": True})
            assert told.json()["inbox_only"] is True
            begun = http.post("/api/v1/connections/initiate", json=begin).json()["connect_url"]
            asked = set(parse_qs(urlsplit(begun).query)["scope"][0].split(","))
            assert "video.upload" in asked
            assert "video.publish" not in asked
            refused = http.put("/companion/v1/platforms/x/app", json=app | {"inbox_only": True})
            assert refused.status_code == 400
            assert http.delete("/companion/v1/platforms/tiktok/app").json()["credentials"] is False
    assert "my-test-secret" not in (tmp_path / "log").read_text()
