"""Browser flows as rows: who finds a flow, who moves it on, and when it is forgotten."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection, Row, insert, select

from app.contract.enums import ConnectionPlatform
from app.contract.limits import ACCOUNT_IDENTIFIER_MAX
from app.platforms.base import Cause, FailureKind, PlatformError, Profile, TokenGrant
from app.platforms.cards import CARDS
from app.service.accounts.accounts import Plan, create_account
from app.service.connections import flow_rows
from app.service.connections.flow_rows import FlowEnd, Offer, Stage
from app.service.store.seal import Seal, SealBrokenError
from app.service.store.tables import connection_flows, connections
from tests.stores import service_engine, take_back

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
DAY = timedelta(days=1)
MOMENT = timedelta(milliseconds=1)


class Flows(NamedTuple):
    """An open transaction with a flow of Ines and one of Robin."""

    rows: Connection
    ines: UUID
    robin: UUID
    mine: UUID
    theirs: UUID

    def row(self, connection_id: UUID) -> Row[Any] | None:
        wanted = select(connection_flows).where(connection_flows.c.connection_id == connection_id)
        return self.rows.execute(wanted).one_or_none()

    def found(self, account_id: UUID, connection_id: UUID) -> Row[Any]:
        flow = flow_rows.of_account(self.rows, connection_id, account_id)
        assert flow is not None
        return flow


def add(rows: Connection, account_id: UUID, name: str, platform: str, **columns: Any) -> UUID:
    """Stores a flow whose state and choice are called after ``name``."""
    flow = {
        "connection_id": uuid4(),
        "account_id": account_id,
        "platform": platform,
        "state_hash": flow_rows.digest(f"state of {name}"),
        "choice_hash": flow_rows.digest(f"choice of {name}"),
        "code_verifier": b"sealed",
        "callback_url": "https://example.com/callback",
        "stage": Stage.CHOOSING.value,
        "offered": b"tokens",
        "created_at": NOW,
        "expires_at": NOW + DAY,
        **columns,
    }
    flow_rows.add(rows, flow)
    found: UUID = flow["connection_id"]
    return found


@pytest.fixture
def flows(tmp_path: Path) -> Iterator[Flows]:
    engine = service_engine(tmp_path)
    try:
        with engine.begin() as rows:
            ines, robin = (create_account(rows, name, Plan.LOCAL, NOW) for name in ("Ines", "Robin"))
            mine, theirs = add(rows, ines, "mine", "x"), add(rows, robin, "theirs", "linkedin")
            yield Flows(rows, ines, robin, mine, theirs)
    finally:
        engine.dispose()
        take_back(tmp_path)


def test_a_flow_is_found_by_its_state_on_its_platform(flows: Flows) -> None:
    found = flow_rows.by_state(flows.rows, "state of mine", "x")

    assert found is not None
    assert (found.connection_id, found.owner, found.platform) == (flows.mine, "Ines", "x")
    assert flow_rows.by_state(flows.rows, "state of mine", "linkedin") is None
    assert flow_rows.by_state(flows.rows, "state of theirs", "x") is None


def test_the_oldest_flows_of_an_account_make_room(flows: Flows) -> None:
    exchanging = add(flows.rows, flows.ines, "exchanging", "x", created_at=NOW - DAY, stage=Stage.EXCHANGING)
    for number in range(flow_rows.FLOWS_MAX):
        add(flows.rows, flows.ines, f"{number}", "x", created_at=NOW + (number + 1) * MOMENT)

    own = select(connection_flows.c.connection_id).where(connection_flows.c.account_id == flows.ines)
    kept = set(flows.rows.scalars(own))
    assert len(kept) == flow_rows.FLOWS_MAX + 1  # the one that is exchanging isn't interrupted
    assert exchanging in kept
    assert flows.mine not in kept
    assert flows.row(flows.theirs) is not None
    assert flow_rows.by_state(flows.rows, "state of 0", "x") is not None


def test_only_the_owner_of_a_state_learns_its_platform(flows: Flows) -> None:
    add(flows.rows, flows.ines, "another", "tiktok")

    assert flow_rows.platform_of(flows.rows, "state of mine", flows.ines) == "x"
    assert flow_rows.platform_of(flows.rows, "state of another", flows.ines) == "tiktok"
    assert flow_rows.platform_of(flows.rows, "state of theirs", flows.ines) is None
    assert flow_rows.platform_of(flows.rows, "state of nobody", flows.ines) is None


def test_only_the_owner_finds_a_flow_by_its_connection(flows: Flows) -> None:
    found = flow_rows.of_account(flows.rows, flows.mine, flows.ines)

    assert found is not None
    assert (found.connection_id, found.owner) == (flows.mine, "Ines")
    assert flow_rows.of_account(flows.rows, flows.mine, flows.robin) is None
    assert flow_rows.of_account(flows.rows, uuid4(), flows.ines) is None


def test_a_flow_is_found_by_the_secret_of_its_choice_page(flows: Flows) -> None:
    found = flow_rows.by_choice(flows.rows, "choice of theirs")

    assert found is not None
    assert (found.connection_id, found.owner) == (flows.theirs, "Robin")
    assert flow_rows.by_choice(flows.rows, "state of theirs") is None


def test_a_secret_is_stored_as_its_sha_256() -> None:
    digest = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"

    assert flow_rows.digest("secret") == digest


def test_a_flow_moves_on_once_from_the_stage_it_was_read_in(flows: Flows) -> None:
    read = flows.found(flows.ines, flows.mine)
    before = flows.row(flows.theirs)

    assert flow_rows.advance(flows.rows, read, Stage.FAILED, outcome_words="Too late.") is True
    assert flow_rows.advance(flows.rows, read, Stage.CONNECTED) is False
    now = flow_rows.reread(flows.rows, read)
    assert (now.connection_id, now.owner) == (flows.mine, "Ines")
    assert (now.stage, now.offered, now.outcome_words) == ("failed", None, "Too late.")
    assert flows.row(flows.theirs) == before


def test_a_flow_may_offer_a_choice_when_it_moves_on(flows: Flows) -> None:
    read = flows.found(flows.ines, flows.mine)

    assert flow_rows.advance(flows.rows, read, Stage.EXCHANGING, offered=b"others") is True
    now = flow_rows.reread(flows.rows, read)
    assert (now.stage, now.offered) == ("exchanging", b"others")


def test_the_result_is_written_to_its_flow_alone(flows: Flows) -> None:
    result, before = uuid4(), flows.row(flows.theirs)

    flow_rows.set_result(flows.rows, flows.found(flows.ines, flows.mine), result)
    assert flows.found(flows.ines, flows.mine).result_connection_id == result
    assert flows.row(flows.theirs) == before


def test_a_flow_knows_the_connection_that_it_authorizes_again(flows: Flows) -> None:
    first, second = (connect(flows.rows, flows.ines) for _ in range(2))
    for number, connection_id in enumerate((second, first)):
        again = add(flows.rows, flows.ines, f"again {number}", "x", reauthorizes=connection_id)
        found = flow_rows.expected_account(flows.rows, flows.found(flows.ines, again))
        assert found.id == connection_id


def connect(rows: Connection, account_id: UUID) -> UUID:
    connection_id = uuid4()
    rows.execute(
        insert(connections).values(
            id=connection_id,
            account_id=account_id,
            account_identifier=connection_id.hex,
            platform="x",
            display_name="Ines",
            is_available=True,
            access_token=b"sealed",
            created_at=NOW,
        )
    )
    return connection_id


def test_a_choice_that_nobody_makes_in_time_fails_and_forgets_the_tokens(flows: Flows) -> None:
    exchanging = add(flows.rows, flows.ines, "exchanging", "x", stage=Stage.EXCHANGING.value)
    later = add(flows.rows, flows.ines, "later", "x", expires_at=NOW + DAY + MOMENT)
    before = flows.row(exchanging), flows.row(later)

    assert not flow_rows.needs_tidying(flows.rows, NOW + DAY - MOMENT)
    flow_rows.tidy(flows.rows, NOW + DAY - MOMENT)
    assert flows.found(flows.ines, flows.mine).stage == "choosing"
    assert flow_rows.needs_tidying(flows.rows, NOW + DAY)
    flow_rows.tidy(flows.rows, NOW + DAY)
    assert not flow_rows.needs_tidying(flows.rows, NOW + DAY)
    failed = flows.found(flows.ines, flows.mine)
    assert (failed.stage, failed.offered, failed.outcome_words) == ("failed", None, flow_rows.EXPIRED)
    assert (flows.row(exchanging), flows.row(later)) == before


def test_a_flow_is_forgotten_a_day_after_its_end(flows: Flows) -> None:
    later = add(flows.rows, flows.ines, "later", "x", expires_at=NOW + DAY + MOMENT)

    flow_rows.tidy(flows.rows, NOW + 2 * DAY)
    assert flows.row(flows.mine) is not None
    assert flow_rows.needs_tidying(flows.rows, NOW + 2 * DAY + MOMENT)
    flow_rows.tidy(flows.rows, NOW + 2 * DAY + MOMENT)
    assert flows.row(flows.mine) is None
    assert flows.row(later) is not None


@pytest.mark.parametrize(
    ("platform", "next_click"),
    [
        ("linkedin", "“Share on LinkedIn”"),
        ("tiktok", "or allow video.upload"),
        ("pinterest", "Allow everything on Pinterest's page"),
        ("youtube", "Tick every box on Google's page"),
        ("x", "Read and write"),
        ("facebook", "“Other” and the type “Business”"),
        ("instagram", "“Other” and the type “Business”"),
    ],
)
def test_each_platform_has_its_next_click_when_a_permission_is_missing(
    platform: str, next_click: str
) -> None:
    """Granted scopes are in documented token answers, at Meta in those of /me/permissions."""
    missing = CARDS[platform].registration.publishing
    told = flow_rows.missing_permissions(ConnectionPlatform(platform), missing)
    assert told.startswith(f"{CARDS[platform].name} didn't grant {', '.join(sorted(missing))}, so nothing ")
    assert next_click in told
    assert told.endswith(".")


@pytest.mark.parametrize(
    ("platform", "code", "reason"),
    [
        ("youtube", "redirect_uri_mismatch", "Bad Request"),
        ("x", "invalid_request", "Value passed for the redirect uri did not match the uri of the code."),
        ("tiktok", "invalid_request", "Redirect_uri is not matched with the uri when requesting code."),
        ("facebook", "100/36008", "Make sure your redirect_uri is identical to the one you used."),
    ],
)
def test_an_address_that_is_not_registered_has_its_next_click(platform: str, code: str, reason: str) -> None:
    """The answers are those that the platforms' documentation and public threads quote."""
    told = flow_rows.refused(ConnectionPlatform(platform), reason, code)
    assert "Register exactly the redirect address that Set up platforms shows, then" in told


def test_other_refusals_start_again() -> None:
    told = flow_rows.refused(ConnectionPlatform.X, "The code has expired", "invalid_request")
    assert told == "X refused: The code has expired. Nothing was connected. Start again."


@pytest.mark.parametrize("code", ["invalid_scope", "unauthorized_scope_error"])
def test_a_permission_that_the_app_may_not_ask_for_has_its_next_click(code: str) -> None:
    told = flow_rows.refused(ConnectionPlatform.LINKEDIN, "Not authorized", code)
    assert "“Share on LinkedIn”" in told
    assert "Start again." not in told


@pytest.mark.parametrize(
    ("kind", "cause", "told"),
    [
        (
            FailureKind.TRANSIENT,
            None,
            "X said: No luck. Nothing was connected. Start again in a few minutes.",
        ),
        (
            FailureKind.PERMISSION,
            Cause.APP,
            (
                "X rejected the app that Kalends uses there, so nothing was connected."
                " Check the app's keys in Kalends, then start again. X said: No luck."
            ),
        ),
        (FailureKind.PERMISSION, None, "X refused: No luck. Nothing was connected. Start again."),
    ],
)
def test_a_failed_connection_says_why_and_what_to_do(
    kind: FailureKind, cause: Cause | None, told: str
) -> None:
    error = PlatformError(kind, "code", "No luck.", cause=cause)
    assert flow_rows.failed(ConnectionPlatform.X, error) == told


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ("A", "A on X is connected."),
        ("AB", "A and B on X are connected."),
        ("ABCD", "A, B, C and D on X are connected."),
        ("ABCDE", "A, B, C, D and 1 more on X are connected."),
    ],
)
def test_connected_accounts_are_named(names: str, told: str) -> None:
    assert flow_rows.connected(list(names), ConnectionPlatform.X) == told


@pytest.mark.parametrize(
    ("offered", "granted"),
    [((), "didn't give access to Ines"), (("A", "B"), "gave access to A and B instead of Ines")],
)
def test_another_account_is_named(offered: tuple[str, ...], granted: str) -> None:
    told = flow_rows.another_account("Ines", offered, ConnectionPlatform.X)
    assert told == f"X {granted}. Nothing was changed. Sign in to X as Ines, then start again."


def test_each_account_is_offered_once_with_its_own_tokens() -> None:
    consent, own = TokenGrant("consent", None, None), TokenGrant("own", None, None)
    profiles = [Profile("a", "A"), Profile("b", "B", grant=own), Profile("a", "A")]
    assert flow_rows.offers_of(profiles, consent) == [
        Offer(Profile("a", "A"), consent),
        Offer(Profile("b", "B"), own),
    ]


def test_a_choice_page_has_a_secret_of_its_own() -> None:
    """No secret of a flow can be derived from another."""
    first, second = flow_rows.choice_token("one"), flow_rows.choice_token("two")
    assert len({first, second, "one", flow_rows.digest("one")}) == 4
    assert first == flow_rows.choice_token("one")
    assert len(first) == 48


def test_stages_keep_their_names() -> None:
    """They are stored, and apps read the final ones in a redirect."""
    assert list(Stage) == ["waiting", "exchanging", "choosing", "connected", "denied", "failed"]


def test_a_redirect_keeps_its_query_and_says_how_the_flow_ended() -> None:
    end = FlowEnd(Stage.DENIED, "No.", UUID(int=7), "https://example.com/back?a=1&b=&c=x%20y#end")
    assert end.target == (
        f"https://example.com/back?a=1&b=&c=x+y&connection_id={UUID(int=7)}&status=denied#end"
    )
    assert replace(end, redirect_url=None).target is None


def test_a_flow_ends_at_its_result_or_the_connection_that_it_was_for(flows: Flows) -> None:
    renewed, result = connect(flows.rows, flows.ines), uuid4()
    again = add(flows.rows, flows.ines, "again", "x", reauthorizes=renewed)
    ends = [FlowEnd.of(flows.found(flows.ines, one)) for one in (flows.mine, again)]
    assert [(end.connection_id, end.words) for end in ends] == [(flows.mine, ""), (renewed, "")]
    flow_rows.set_result(flows.rows, flows.found(flows.ines, again), result)
    assert FlowEnd.of(flows.found(flows.ines, again)).connection_id == result


def test_an_end_has_all_that_its_flow_says(flows: Flows) -> None:
    asked = add(flows.rows, flows.ines, "asked", "x", redirect_url="https://example.com/back")
    flow_rows.advance(flows.rows, flows.found(flows.ines, asked), Stage.CONNECTED, outcome_words="Done.")
    stored = [uuid4(), uuid4()]
    end = FlowEnd.of(flows.found(flows.ines, asked), stored)
    assert end == FlowEnd(Stage.CONNECTED, "Done.", asked, "https://example.com/back", tuple(stored), "Ines")


profiles = st.builds(
    Profile,
    st.text(min_size=1, max_size=ACCOUNT_IDENTIFIER_MAX),
    st.text(),
    username=st.none() | st.text(),
    grant=st.none() | st.builds(TokenGrant, st.text(), st.none() | st.text(), st.none()),
)


@given(st.lists(profiles, max_size=4))
def test_offers_come_back_as_they_were_sealed_and_only_in_their_flow(found: list[Profile]) -> None:
    seal, flow = Seal(b"k" * 32), uuid4()
    offers = flow_rows.offers_of(found, TokenGrant("consent", "again", NOW))
    sealed = flow_rows.seal_offers(seal, flow, offers)
    assert flow_rows.open_offers(seal, flow, sealed) == offers
    with pytest.raises(SealBrokenError):
        flow_rows.open_offers(seal, uuid4(), sealed)


def test_an_offered_account_is_called_by_what_users_know() -> None:
    grant = TokenGrant("consent", None, None)
    profiles = [
        Profile("id", "Ines M.", username="ines"),
        Profile("id", "", username="ines"),
        Profile("id", ""),
    ]
    assert [Offer(profile, grant).name for profile in profiles] == ["Ines M.", "ines", "id"]


def test_the_secret_of_a_choice_page_is_in_no_log() -> None:
    assert "secret" not in repr(flow_rows.ChoiceDue("secret"))


@pytest.mark.parametrize("kind", [FailureKind.RATE_LIMITED, FailureKind.AMBIGUOUS, FailureKind.TRANSIENT])
def test_a_message_that_names_the_platform_is_quoted_as_it_is(kind: FailureKind) -> None:
    told = flow_rows.failed(ConnectionPlatform.X, PlatformError(kind, "code", "X is busy.", cause=Cause.APP))
    assert told == "X is busy. Nothing was connected. Start again in a few minutes."


def test_long_messages_of_platforms_are_cut() -> None:
    said = "a" * 400
    passing = PlatformError(FailureKind.TRANSIENT, "code", said)
    for error in (passing, PlatformError(FailureKind.INVALID, "code", said)):
        told = flow_rows.failed(ConnectionPlatform.LINKEDIN, error)
        assert told.count("a" * 300) == 1
        assert "a" * 301 not in told


def test_a_permission_without_advice_starts_again() -> None:
    told = flow_rows.refused(ConnectionPlatform.THREADS, "Not authorized.", "invalid_scope")
    assert told == "Threads refused: Not authorized. Nothing was connected. Start again."
