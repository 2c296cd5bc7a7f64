"""Setup packs over the wire: who may make and use them, what's shown first, and what's stored."""

import ssl
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from app.service.accounts.accounts import Plan, change_account
from app.service.store.folder import DataFolder
from tests.service.programs import serving
from tests.service.running import Caller
from tests.service.test_envelope import envelope
from tests.workspace.programs import enrol

PASSPHRASE = "seven brown sheep"
LINKEDIN = {
    "client_id": "app-7",
    "client_secret": "a-test-secret",
    "redirect_uri": "https://okafor.example/b",
}
MAKE = {"maker": "Okafor Studio", "platforms": ["linkedin", "x"], "passphrase": PASSPHRASE}


class Installation:
    """A running service without practice platforms, and its owner's client."""

    def __init__(self, data: Path, http: httpx.Client) -> None:
        self.data, self.http = data, http

    def post(self, path: str, **body: object) -> httpx.Response:
        return self.http.post(f"/companion/v1/packs{path}", json=body)

    def make(self, **changed: object) -> str:
        made = self.post("", **{**MAKE, **changed})
        assert made.status_code == 200, made.text
        return str(made.json()["content"])

    def set_ups(self) -> dict[str, dict[str, object]]:
        return {one["platform"]: one for one in self.http.get("/companion/v1/platforms").json()["data"]}


def installed(data: Path) -> Iterator[Installation]:
    data.mkdir(exist_ok=True)
    _, key = enrol(data)
    with serving(data, log=data.with_name(f"{data.name}.log")) as service:
        trust = ssl.create_default_context(cafile=service.ready["ca_file"])
        headers = {"Authorization": f"Bearer {key}"}
        with httpx.Client(base_url=service.base_url, headers=headers, verify=trust, trust_env=False) as http:
            yield Installation(data, http)


@pytest.fixture(scope="module")
def agency(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    for one in installed(tmp_path_factory.mktemp("agency") / "data"):
        one.http.put("/companion/v1/platforms/linkedin/app", json=LINKEDIN).raise_for_status()
        one.http.put("/companion/v1/platforms/x/app", json={"client_id": "app-x"}).raise_for_status()
        yield one


@pytest.fixture
def member(tmp_path: Path) -> Iterator[Installation]:
    yield from installed(tmp_path / "member")


def issue(answer: httpx.Response) -> tuple[str, str]:
    assert answer.status_code == 400, answer.text
    (one,) = answer.json()["error"]["details"]["errors"]
    return one["field"], one["type"]


def test_a_pack_is_shown_first_and_then_used(agency: Installation, member: Installation) -> None:
    content = agency.make(note="Ask Ada if something's wrong.")
    here, there = (one.set_ups()["x"]["redirect_uri"] for one in (member, agency))

    shown = member.post("/read", content=content).json()

    assert (shown["maker"], shown["note"]) == ("Okafor Studio", "Ask Ada if something's wrong.")
    assert (shown["standing"], shown["passphrase_needed"]) == ("new", True)
    linkedin, x = shown["apps"]
    assert linkedin["scopes"] == ["openid", "profile", "w_member_social"]
    assert (linkedin["has_secret"], linkedin["returns"], linkedin["replaces"]) == (True, False, False)
    assert (x["has_secret"], x["returns"], x["secret_needed"]) == (False, here == there, False)
    assert not any(one["credentials"] for one in member.set_ups().values())

    used = member.post("/use", content=content, passphrase=PASSPHRASE)

    assert [one["platform"] for one in used.json()["data"]] == ["linkedin", "x"]
    set_up = member.set_ups()
    assert [name for name, one in set_up.items() if one["credentials"]] == ["linkedin", "x"]
    assert (set_up["linkedin"]["maker"], set_up["linkedin"]["redirect_uri"]) == (
        "Okafor Studio",
        LINKEDIN["redirect_uri"],
    )
    assert (set_up["linkedin"]["by_hand"], set_up["x"]["by_hand"]) == (True, here != there)
    begun = member.http.post("/api/v1/connections/initiate", json={"platform": "linkedin"}).json()
    asked = parse_qs(urlsplit(begun["connect_url"]).query)
    assert (asked["client_id"], asked["redirect_uri"]) == (["app-7"], [LINKEDIN["redirect_uri"]])
    assert member.post("/read", content=content).json()["standing"] == "known"
    assert agency.post("/read", content=content).json()["standing"] == "own"
    for text in (used.text, content, (member.data.parent / "member.log").read_text()):
        assert "a-test-secret" not in text
        assert PASSPHRASE not in text


def test_only_some_of_a_packs_apps_are_used(agency: Installation, member: Installation) -> None:
    content = agency.make()
    assert issue(member.post("/use", content=content, passphrase=PASSPHRASE, platforms=["tiktok"])) == (
        "platforms",
        "not_in_pack",
    )

    member.post("/use", content=content, passphrase=PASSPHRASE, platforms=["x"]).raise_for_status()

    assert [name for name, one in member.set_ups().items() if one["credentials"]] == ["x"]


def test_a_pack_remembers_that_tiktok_refused_direct_post(agency: Installation, member: Installation) -> None:
    app = {"client_id": "app-t", "client_secret": "a-test-secret", "inbox_only": True}
    path = "/companion/v1/platforms/tiktok/app"
    agency.http.put(path, json=app).raise_for_status()
    try:
        content = agency.make(platforms=["tiktok"])
    finally:
        agency.http.delete(path).raise_for_status()
    [shown] = member.post("/read", content=content).json()["apps"]
    assert "video.upload" in shown["scopes"]
    assert "video.publish" not in shown["scopes"]
    member.post("/use", content=content, passphrase=PASSPHRASE).raise_for_status()
    assert member.set_ups()["tiktok"]["inbox_only"] is True
    assert member.set_ups()["x"]["inbox_only"] is None


def test_a_refused_pack_changes_nothing(agency: Installation, member: Installation) -> None:
    content = agency.make()
    changed = content.replace("app-7", "app-8")

    assert issue(member.post("/use", content=content)) == ("passphrase", "passphrase_missing")
    assert issue(member.post("/use", content=content, passphrase="no")) == ("passphrase", "wrong_passphrase")
    for path in ("/read", "/use"):
        assert issue(member.post(path, content=changed)) == ("content", "pack_changed")
        assert issue(member.post(path, content="hello ☂")) == ("content", "not_a_pack")
        assert issue(member.post(path, content="x" * 70_000)) == ("content", "string_too_long")
    assert not any(one["credentials"] for one in member.set_ups().values())


def test_a_pack_without_a_passphrase_holds_no_secret(agency: Installation, member: Installation) -> None:
    pack = {name: value for name, value in MAKE.items() if name != "passphrase"}
    content = agency.post("", **pack).json()["content"]

    shown = member.post("/read", content=content).json()
    assert shown["passphrase_needed"] is False
    assert not any(app["has_secret"] for app in shown["apps"])
    member.post("/use", content=content).raise_for_status()

    set_up = member.set_ups()
    assert (set_up["linkedin"]["credentials"], set_up["x"]["credentials"]) == (False, True)
    checks = member.http.post("/companion/v1/platforms/linkedin/self-test").json()["checks"]
    assert checks[0]["message"] == "LinkedIn requires the app's secret. Enter it with the ID."


def test_another_key_under_a_known_name_is_noticed(
    agency: Installation, member: Installation, tmp_path: Path
) -> None:
    member.post("/use", content=agency.make(), passphrase=PASSPHRASE).raise_for_status()
    for impostor in installed(tmp_path / "impostor"):
        impostor.http.put("/companion/v1/platforms/x/app", json={"client_id": "app-y"}).raise_for_status()
        content = impostor.make(platforms=["x"])

        shown = member.post("/read", content=content).json()

        assert shown["standing"] == "changed"
        assert shown["apps"][0]["replaces"] is True


def test_the_same_key_signs_every_pack_and_is_stored_sealed(agency: Installation) -> None:
    first, second = (agency.post("", **MAKE).json()["fingerprint"] for _ in range(2))

    assert first == second
    path = DataFolder(agency.data).pack_key
    assert path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"platforms": ["tiktok"]}, ("platforms", "not_set_up")),
        ({"platforms": []}, ("platforms", "too_short")),
        ({"maker": ""}, ("maker", "too_short")),
        ({"passphrase": "too short"}, ("passphrase", "string_too_short")),
    ],
)
def test_a_pack_that_cannot_be_made(
    agency: Installation, changed: dict[str, object], expected: tuple[str, str]
) -> None:
    assert issue(agency.post("", **{**MAKE, **changed})) == expected


def test_an_app_in_the_settings_file_stays(agency: Installation, tmp_path: Path) -> None:
    data = tmp_path / "settled"
    data.mkdir()
    (data / "service.toml").write_text('[platforms.x]\nclient_id = "from-the-file"\n')
    for settled in installed(data):
        content = agency.make()
        x = settled.post("/read", content=content).json()["apps"][1]
        assert (x["changeable"], x["replaces"]) == (False, True)

        refused = settled.post("/use", content=content, passphrase=PASSPHRASE)

        assert envelope(refused).error.code == "forbidden"
        assert settled.set_ups()["linkedin"]["credentials"] is False


@pytest.mark.parametrize("path", ["", "/read", "/use"])
def test_only_the_owner_may(caller: Caller, path: str) -> None:
    plan = next(one for one in Plan if one is not Plan.LOCAL)
    caller.service.database.write_now(lambda rows: change_account(rows, caller.account_id, plan=plan))
    url = f"{caller.service.base_url}/companion/v1/packs{path}"
    body = {**MAKE, "content": "kalends-pack 1"}
    assert envelope(caller.http.post(url, json=body)).error.code == "forbidden"


def test_a_service_whose_apps_are_elsewhere_makes_no_pack(caller: Caller) -> None:
    url = f"{caller.service.base_url}/companion/v1/packs"
    assert envelope(caller.http.post(url, json=MAKE)).error.code == "forbidden"
