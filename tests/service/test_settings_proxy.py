"""Which proxy a service uses: what its settings say, and what the app says on its standard input."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from app.network import Proxy, Scheme
from app.service.installation import EmbeddedInstallation
from app.service.problems import CommandProblem
from tests.network.small_proxy import PASSWORD, USER, SmallProxy, running
from tests.service.programs import complaint, serving

HOST = "www.linkedin.com:443"


def installation(folder: Path, text: str) -> EmbeddedInstallation:
    folder.mkdir(exist_ok=True)
    (folder / "service.toml").write_text(text, encoding="utf-8")
    return EmbeddedInstallation(folder)


async def test_the_settings_name_a_proxy_and_the_file_of_its_password(tmp_path: Path) -> None:
    (tmp_path / "proxy.password").write_text("pa ss\n", encoding="utf-8")
    there = installation(
        tmp_path,
        '[proxy]\nuse = "own"\naddress = "socks5://proxy.example:1080"\nuser = "ada"\n'
        'password_file = "proxy.password"\nexceptions = ["intranet.example"]\n',
    )
    way = there.way()

    expected = Proxy(Scheme.SOCKS5, "proxy.example", 1080, "ada", "pa ss")
    assert await way.proxy_for("a.example", secure=True) == expected
    assert await way.proxy_for("intranet.example", secure=True) is None
    assert "pa ss" not in repr(there.settings)


async def test_without_a_word_the_environment_is_not_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy.example:3128")

    assert await installation(tmp_path, "").way().proxy_for("a.example", secure=True) is None
    system = installation(tmp_path, '[proxy]\nuse = "system"').way()
    assert await system.proxy_for("a.example", secure=True) is not None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('use = "own"\naddress = "proxy.example"', "port"),
        ('use = "own"\naddress = "http://ada:secret@proxy.example:1"', "user"),
        ('use = "own"\naddress = "http://proxy.example:1"\nexceptions = ["a/b"]', "not a name"),
        ('use = "own"\naddress = "http://proxy.example:1"\npassword_file = "nowhere"', "can't be read"),
        ('password = "secret"', "password"),
    ],
)
def test_what_is_wrong_is_named_and_no_secret_is(text: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(CommandProblem) as caught:
        installation(tmp_path, f"[proxy]\n{text}").way()
    assert words in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_line_from_nobody_is_refused(data: Path) -> None:
    assert "--exit-with-parent" in complaint("serve", "--data", data, "--proxy-from-stdin")


async def test_the_app_says_which_proxy_and_may_choose_another(data: Path, key: str, tmp_path: Path) -> None:
    log = tmp_path / "log"

    async def run() -> tuple[SmallProxy, SmallProxy]:
        first, second = SmallProxy(wants=(USER, PASSWORD)), SmallProxy(wants=(USER, PASSWORD))
        async with running(first), running(second):
            await asyncio.to_thread(_serve, data, key, log, (line(first), line(second)))
        return first, second

    first, second = await run()

    assert HOST in first.asked
    assert HOST in second.asked
    assert PASSWORD not in log.read_text(encoding="utf-8")


def line(proxy: SmallProxy) -> str:
    way = proxy.way()
    told: dict[str, Any] = {"proxy": way.settings.model_dump(mode="json"), "password": PASSWORD}
    return json.dumps(told) + "\n"


def _serve(data: Path, key: str, log: Path, lines: tuple[str, str]) -> None:
    options = ("--exit-with-parent", "--proxy-from-stdin")
    with serving(data, *options, log=log, first_line=lines[0]) as service, service.client(key) as http:
        _expect_proxy_to_answer(http)
        assert service.process.stdin is not None
        service.process.stdin.write("no such line\n" + lines[1])
        service.process.stdin.flush()
        while (
            "the proxy settings have changed"
            not in log.read_text(encoding="utf-8").partition("is invalid")[2]
        ):
            _self_test(http)
        _expect_proxy_to_answer(http)
        service.process.stdin.close()
        assert service.process.wait(20) == 0  # `benchmarks appkills` measures how soon


def _self_test(http: Any) -> str:
    origin = str(http.base_url).partition("/api")[0]
    return str(http.post(f"{origin}/companion/v1/platforms/linkedin/self-test").text)


def _expect_proxy_to_answer(http: Any) -> None:
    """Test until the proxy answers as soon as the service wants; not at the first test if the CPU is busy."""
    while "didn't respond within" in (said := _self_test(http)):
        pass
    assert "couldn't reach the address" in said
