"""Organizations on LinkedIn: who may publish for them, what arrives, how it does."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from app.contract.enums import ConnectionPlatform as P
from app.platforms.adapters import Adapter
from app.platforms.base import (
    Cause,
    ContentMetrics,
    FailureKind,
    LookBack,
    LookBackOutcome,
    Publication,
    Published,
)
from tests.platforms.scripted import TOKEN, Script, json_answer
from tests.platforms.specs.errands import ADMITTED
from tests.platforms.world import Member, Practice, connect, picture, video

ORGANIZATION = "urn:li:organization:7"


@pytest.fixture(scope="module")
def member(practice: Practice) -> Member:
    return connect(practice, P.LINKEDIN, app=ADMITTED)


@pytest.fixture(scope="module")
def organization(member: Member) -> Member:
    return replace(member, profile=member.others[0])


def publish(practice: Practice, post: Publication) -> Published:
    published: Published = practice.run(P.LINKEDIN, lambda adapter: adapter.publish(post))
    return published


def test_a_member_and_the_organizations_can_be_chosen_from(member: Member) -> None:
    profiles = (member.profile, *member.others)
    assert [one.account_identifier.rpartition(":")[0] for one in profiles] == [
        "urn:li:person",
        "urn:li:organization",
        "urn:li:organization",
    ]
    assert all(one.display_name and one.username and one.avatar_url for one in member.others)
    assert all(one.follower_count for one in member.others)
    assert all(one.grant is None for one in profiles)


def test_an_app_that_was_not_admitted_sees_the_member_alone(practice: Practice) -> None:
    assert connect(practice, P.LINKEDIN).others == ()


def test_posts_appear_under_the_organization(practice: Practice, organization: Member) -> None:
    posts = [
        organization.post("Good (morning)"),
        organization.with_file("A picture", picture()),
        organization.with_file("A video", video(5_000_000)),
    ]
    published = [publish(practice, post).content_id for post in posts]
    entries = practice.ledger(organization.profile.account_identifier)
    assert [entry["content_id"] for entry in entries] == published
    assert [entry["text"] for entry in entries] == ["Good (morning)", "A picture", "A video"]


def test_a_lost_answer_is_found_by_looking_back(practice: Practice, organization: Member) -> None:
    post = organization.post("Lost (and found) by #everybody")

    def look() -> LookBack:
        since = datetime.now(UTC) - timedelta(minutes=1)
        found: LookBack = practice.run(
            P.LINKEDIN, lambda adapter: adapter.look_back(post, since=since, known=())
        )
        return found

    assert look() == LookBack(LookBackOutcome.ABSENT)
    assert practice.lose(P.LINKEDIN, post).kind is FailureKind.AMBIGUOUS
    [entry] = [one for one in practice.ledger(post.account_identifier) if one["text"].startswith("Lost")]
    assert practice.shows(look(), post) == entry


def test_nobody_publishes_for_an_organization_of_others(practice: Practice, organization: Member) -> None:
    post = replace(organization.post("Hello"), account_identifier=ORGANIZATION)
    error = practice.fail(P.LINKEDIN, lambda adapter: adapter.publish(post))
    assert error.kind is FailureKind.PERMISSION


def test_posts_with_the_same_picture_are_told_apart(practice: Practice, organization: Member) -> None:
    """Each shows the picture that was brought for it, although the bytes are the same."""
    shared = picture()
    posts = [organization.with_file(f"Shared picture {number}", shared) for number in (1, 2)]
    for post in posts:
        practice.run(P.LINKEDIN, partial(_prepare, post))
    ids = [publish(practice, post).content_id for post in posts]
    since = datetime.now(UTC) - timedelta(minutes=1)
    for post, content_id in zip(posts, ids, strict=True):
        found = practice.run(P.LINKEDIN, partial(_look_back, post, since))
        assert found.outcome is LookBackOutcome.FOUND
        assert found.item.content_id == content_id


async def _prepare(post: Publication, adapter: Adapter) -> None:
    await adapter.prepare(post)


async def _look_back(post: Publication, since: datetime, adapter: Adapter) -> LookBack:
    return await adapter.look_back(post, since=since, known=())


def test_numbers_of_a_member_and_of_an_organization(practice: Practice, member: Member) -> None:
    for profile in (member.profile, member.others[1]):
        poster = replace(member, profile=profile)
        ids = [
            publish(practice, poster.post(f"Count {profile.account_identifier}")).content_id,
            publish(practice, poster.with_file("Count this", picture())).content_id,
        ]

        async def count(
            adapter: Adapter, ids: list[str] = ids, account: str = profile.account_identifier
        ) -> object:
            return await adapter.metrics(member.grant.access_token, account, ids)

        assert practice.run(P.LINKEDIN, count) == [ContentMetrics(one, 0, 0, 0, 0) for one in ids]


def test_the_questions_for_numbers() -> None:
    elements = [
        {
            "share": "urn:li:share:1",
            "totalShareStatistics": {
                "impressionCount": 9,
                "likeCount": 8,
                "commentCount": 7,
                "shareCount": 6,
            },
        }
    ]
    script = Script(json_answer(200, {"elements": elements}), json_answer(200, {"elements": []}))
    ids = ["urn:li:share:1", "urn:li:ugcPost:2", "urn:li:share:3", "nonsense"]
    found = script.run(P.LINKEDIN, lambda adapter: adapter.metrics(TOKEN, ORGANIZATION, ids))
    assert found == [ContentMetrics("urn:li:share:1", 9, 8, 7, 6)]
    assert [dict(one.url.params) for one in script.requests] == [
        {
            "q": "organizationalEntity",
            "organizationalEntity": ORGANIZATION,
            "shares": "List(urn:li:share:1,urn:li:share:3)",
        },
        {
            "q": "organizationalEntity",
            "organizationalEntity": ORGANIZATION,
            "ugcPosts": "List(urn:li:ugcPost:2)",
        },
    ]
    assert script.requests[0].url.query.endswith(b"&shares=List(urn%3Ali%3Ashare%3A1,urn%3Ali%3Ashare%3A3)")


def test_an_app_without_the_product_asks_once_and_knows_nothing() -> None:
    script = Script(json_answer(404, {"status": 404, "code": "NOT_FOUND"}))
    ids = ["urn:li:share:1", "urn:li:share:2"]
    found = script.run(P.LINKEDIN, lambda adapter: adapter.metrics(TOKEN, "urn:li:person:a", ids))
    assert found == [ContentMetrics(one, None, None, None, None) for one in ids]
    assert script.requests[0].url.query.startswith(b"q=entity&entity=(share:urn%3Ali%3Ashare%3A1)&")


@pytest.mark.parametrize(
    ("shares", "status"),
    [
        ("List(urn%3Ali%3Ashare%3A1)", 403),  # understood; the post is not theirs
        ("List%28urn%3Ali%3Ashare%3A1%29", 400),
        ("List(urn:li:share:1)", 400),
        ("urn%3Ali%3Ashare%3A1", 400),
    ],
)
def test_the_stand_in_reads_lists_as_linkedin_does(
    practice: Practice, member: Member, organization: Member, shares: str, status: int
) -> None:
    entity = organization.profile.account_identifier.replace(":", "%3A")
    query = f"q=organizationalEntity&organizationalEntity={entity}&shares={shares}"
    answer = practice.http.get(
        f"/linkedin/rest/organizationalEntityShareStatistics?{query}",
        headers={
            "Authorization": f"Bearer {member.grant.access_token}",
            "LinkedIn-Version": "202609",
            "X-Restli-Protocol-Version": "2.0.0",
        },
    )
    assert answer.status_code == status, answer.text


def test_a_question_that_linkedin_does_not_understand_is_an_error() -> None:
    refusal = {"message": "Parameter 'entity' is invalid", "status": 400}
    error = Script(json_answer(400, refusal)).fail(
        P.LINKEDIN, lambda adapter: adapter.metrics(TOKEN, "urn:li:person:a", ["urn:li:share:1"])
    )
    assert (error.kind, error.cause) == (FailureKind.INVALID, Cause.PROGRAM)
