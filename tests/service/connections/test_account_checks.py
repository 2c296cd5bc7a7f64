"""What the setup's checks say about a connected account: its permissions, and its last post."""

from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from app.contract.companion import AttemptOutcome
from app.contract.enums import ConnectionPlatform
from app.contract.platform_setup import Check, CheckOutcome, SetupStep
from app.platforms.base import AppCredentials, FailureKind, PlatformError
from app.service.connections.account_checks import AccountChecks
from app.service.connections.platforms import Platforms
from app.service.store.tables import attempts
from tests.service.contents import publish
from tests.service.platforms import ScriptedAdapter
from tests.service.running import Caller

LINKEDIN, PINTEREST = ConnectionPlatform.LINKEDIN, ConnectionPlatform.PINTEREST
YOUTUBE, FACEBOOK = ConnectionPlatform.YOUTUBE, ConnectionPlatform.FACEBOOK
UPLOAD = "https://www.googleapis.com/auth/youtube.upload"


class Telling(ScriptedAdapter):
    """A platform that tells what a token may do, and whether it locks videos."""

    scopes_of_token: frozenset[str] | PlatformError | None = None
    locked: bool | PlatformError | None = None

    async def granted(self, credentials: AppCredentials, access_token: str) -> frozenset[str] | None:
        assert (credentials.client_id, access_token) == ("app", "token")
        if isinstance(self.scopes_of_token, PlatformError):
            raise self.scopes_of_token
        return self.scopes_of_token


class Locking(Telling):
    async def is_locked(self, access_token: str, content_id: str) -> bool | None:
        assert (access_token, content_id) == ("token", "v-1")
        if isinstance(self.locked, PlatformError):
            raise self.locked
        return self.locked


class OneToken:
    """The token of every account."""

    async def access_token(self, connection_id: UUID) -> str:
        del connection_id
        return "token"

    async def refused(self, connection_id: UUID, token: str) -> str:
        raise AssertionError(f"{connection_id}: {token} was good")

    def forget(self, *connection_ids: UUID) -> None:
        """There is nothing else to read."""

    async def ended(self, connection_id: UUID, token: str) -> None:
        raise AssertionError(f"{connection_id}: {token} was good")


def checks(caller: Caller, adapter: ScriptedAdapter) -> list[Check]:
    platforms = Platforms({adapter.platform: adapter}, {adapter.platform: AppCredentials("app")})
    looking = AccountChecks(caller.service.database, platforms, OneToken())
    return caller.service.await_(lambda: looking.of(adapter.platform, caller.account_id))


def attempted(caller: Caller, connection_id: str, advice: str, said: str) -> None:
    """Store that the platform refused a post."""
    post = caller.create(connection_id)
    now = caller.service.clock() + timedelta(minutes=1)
    row = {
        "id": uuid4(),
        "post_id": UUID(post["id"]),
        "account_id": caller.account_id,
        "step": "publish",
        "outcome": AttemptOutcome.REFUSED.value,
        "started_at": now,
        "finished_at": now,
        "platform_code": "29",
        "platform_message": said,
        "advice": advice,
    }
    caller.service.database.write_now(lambda rows: rows.execute(attempts.insert().values(row)))


def telling(platform: ConnectionPlatform, *scopes: str) -> Telling:
    adapter = Telling(platform)
    adapter.scopes_of_token = frozenset(scopes) or None
    return adapter


def test_without_an_account_nothing_is_checked(caller: Caller) -> None:
    assert checks(caller, telling(LINKEDIN, "openid")) == []


def test_asked_is_compared_with_granted(caller: Caller) -> None:
    caller.connect("linkedin")

    (missing,) = checks(caller, telling(LINKEDIN, "openid", "profile"))
    (complete,) = checks(caller, telling(LINKEDIN, "openid", "w_member_social"))

    assert (missing.outcome, missing.step) == (CheckOutcome.FAILED, SetupStep.ACCOUNT)
    assert missing.message == (
        "LinkedIn didn't grant w_member_social. "
        "Add the product “Share on LinkedIn” to the app, then start again."
    )
    assert missing.link == "https://www.linkedin.com/developers/apps"
    assert (complete.outcome, complete.message) == (
        CheckOutcome.PASSED,
        "LinkedIn granted every permission that publishing needs.",
    )


def test_a_platform_that_does_not_answer_is_no_failure(caller: Caller) -> None:
    caller.connect("linkedin")
    adapter = Telling(LINKEDIN)
    adapter.scopes_of_token = PlatformError(FailureKind.TRANSIENT, "http_500", "LinkedIn answered 500.")

    (check,) = checks(caller, adapter)

    assert (check.outcome, check.message) == (
        CheckOutcome.UNKNOWN,
        "Couldn't check with LinkedIn: LinkedIn answered 500.",
    )
    assert checks(caller, telling(LINKEDIN)) == []  # it names no scopes


@pytest.mark.parametrize(
    ("locked", "outcome", "words"),
    [
        (True, CheckOutcome.FAILED, "Your last video on YouTube is private."),
        (False, CheckOutcome.PASSED, "Everybody can see your last post on YouTube."),
        (PlatformError(FailureKind.QUOTA, "quota", "no more"), CheckOutcome.UNKNOWN, "Couldn't check with"),
    ],
)
def test_the_lock_of_unaudited_projects_is_named(
    caller: Caller, locked: bool | PlatformError, outcome: CheckOutcome, words: str
) -> None:
    publish(caller, caller.connect("youtube"), "v-1", platform="youtube", post_id=uuid4())
    adapter = Locking(YOUTUBE)
    adapter.scopes_of_token, adapter.locked = frozenset({UPLOAD}), locked

    permissions, seen = checks(caller, adapter)

    assert permissions.outcome is CheckOutcome.PASSED
    assert (seen.name, seen.outcome, words in seen.message) == ("visible", outcome, True)
    if locked is True:
        assert seen.link == "https://support.google.com/youtube/contact/yt_api_form"


def test_a_video_that_is_gone_says_nothing(caller: Caller) -> None:
    publish(caller, caller.connect("youtube"), "v-1", platform="youtube", post_id=uuid4())
    assert checks(caller, Locking(YOUTUBE)) == []


@pytest.mark.parametrize(
    ("platform", "words"),
    [(FACEBOOK, "the app is in Development: switch it to Live"), (PINTEREST, "the app has trial access")],
)
def test_where_no_platform_tells_who_sees_a_post_the_user_has_to_look(
    caller: Caller, platform: ConnectionPlatform, words: str
) -> None:
    page = "https://seen.example/1"
    connection = caller.connect(platform.value)
    publish(caller, connection, "1", platform=platform.value, post_id=uuid4(), url=page)

    (check,) = checks(caller, ScriptedAdapter(platform))

    assert (check.outcome, words in check.message, check.link) == (CheckOutcome.UNKNOWN, True, page)


def test_a_refused_post_is_explained_with_the_platforms_own_answer(caller: Caller) -> None:
    connection = caller.connect("linkedin")
    publish(caller, connection, "urn:li:share:1", post_id=uuid4())
    attempted(caller, connection, "Request standard access.", "Apps with Trial access may not create Pins")

    (check,) = checks(caller, ScriptedAdapter(LINKEDIN))

    assert (check.name, check.outcome) == ("post", CheckOutcome.FAILED)
    assert check.message == (
        "LinkedIn refused your last post. Request standard access. "
        "LinkedIn said: Apps with Trial access may not create Pins"
    )


def test_other_peoples_accounts_are_not_looked_at(caller: Caller) -> None:
    other = caller.service.new_caller()
    publish(other, other.connect("linkedin"), post_id=uuid4())
    assert checks(caller, telling(LINKEDIN, "openid")) == []
