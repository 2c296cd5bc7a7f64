"""How items do, by the numbers that the platforms document; what they do not tell stays unknown."""

from typing import Any

import pytest

from app.contract.enums import ConnectionPlatform as P
from app.platforms.base import ContentMetrics, FailureKind
from tests.platforms.scripted import TOKEN, Script, Step, json_answer

GONE = {"error": {"message": "does not exist", "code": 100, "error_subcode": 33}}


def counted(
    platform: P, ids: list[str], *steps: Step, account: str = "1"
) -> tuple[list[ContentMetrics], Script]:
    script = Script(*steps)
    return list(script.run(platform, lambda adapter: adapter.metrics(TOKEN, account, ids))), script


@pytest.mark.parametrize(
    ("counts", "shares"),
    [
        ({"retweet_count": 2, "quote_count": 3}, 5),
        ({"repost_count": 4, "retweet_count": 2}, 4),
        ({}, None),
    ],
)
def test_x(counts: dict[str, int], shares: int | None) -> None:
    metrics = {"impression_count": 9, "like_count": 8, "reply_count": 7, **counts}
    found, script = counted(
        P.X, ["1", "2"], json_answer(200, {"data": [{"id": "1", "public_metrics": metrics}]})
    )
    assert found == [ContentMetrics("1", 9, 8, 7, shares)]
    assert dict(script.requests[0].url.params) == {"ids": "1,2", "post.fields": "public_metrics"}


def test_a_hundred_and_one_posts_on_x_are_two_questions() -> None:
    ids = [str(number) for number in range(101)]
    found, script = counted(P.X, ids, json_answer(200, {"data": []}), json_answer(200, {"errors": []}))
    assert (found, script.requests[1].url.params["ids"]) == ([], "100")


def test_tiktok_asks_for_public_videos_alone() -> None:
    video = {"id": "7", "view_count": 9, "like_count": 8, "comment_count": 7, "share_count": 6}
    answer = {"data": {"videos": [video]}, "error": {"code": "ok"}}
    found, script = counted(P.TIKTOK, ["7", "v_pub_file~v2-1.5"], json_answer(200, answer))
    assert found == [ContentMetrics("7", 9, 8, 7, 6)]
    assert b'"video_ids":["7"]' in script.requests[0].content.replace(b" ", b"")
    assert counted(P.TIKTOK, ["v_pub_file~v2-1.5"])[0] == []


COUNTED_VIDEO = {"items": [{"id": "a", "statistics": {"viewCount": "9", "commentCount": "7"}}]}


@pytest.mark.parametrize(("rows", "shares"), [([["b", 5], ["a", 6]], 6), ([], None)])
def test_youtube_counts_in_text_and_tells_shares_elsewhere(
    rows: list[list[object]], shares: int | None
) -> None:
    answers = (json_answer(200, COUNTED_VIDEO), json_answer(200, {"rows": rows}))
    found, script = counted(P.YOUTUBE, ["a", "b"], *answers)
    assert found == [ContentMetrics("a", 9, None, 7, shares)]
    assert script.requests[1].url.host == "youtubeanalytics.googleapis.com"
    assert dict(script.requests[1].url.params) == {
        "ids": "channel==MINE",
        "startDate": "2005-02-14",
        "endDate": "2026-11-21",
        "metrics": "shares",
        "dimensions": "video",
        "filters": "video==a",
        "sort": "-shares",
        "maxResults": "50",
    }


def test_youtube_is_asked_twice_for_fifty_videos() -> None:
    ids = [f"v{number}" for number in range(50)]
    videos = [{"id": one, "statistics": {"viewCount": "9"}} for one in ids]
    shares = {"rows": [[one, 6] for one in ids]}
    found, _ = counted(P.YOUTUBE, ids, json_answer(200, {"items": videos}), json_answer(200, shares))
    assert found == [ContentMetrics(one, 9, None, None, 6) for one in ids]


def test_youtube_without_leave_to_see_shares_still_counts_the_rest() -> None:
    refusal = {"error": {"code": 403, "errors": [{"reason": "insufficientPermissions"}]}}
    found, _ = counted(P.YOUTUBE, ["a"], json_answer(200, COUNTED_VIDEO), json_answer(403, refusal))
    assert found == [ContentMetrics("a", 9, None, 7, None)]


def test_pinterest_counts_a_lifetime() -> None:
    lifetime = {"TOTAL_COMMENTS": 7, "TOTAL_REACTIONS": 8}
    answer = {"all": {"lifetime_metrics": lifetime, "summary_metrics": {"IMPRESSION": 9.0, "SAVE": None}}}
    missing = json_answer(404, {"code": 404, "message": "Pin not found."})
    found, script = counted(P.PINTEREST, ["1", "2", "../3"], json_answer(200, answer), missing)
    assert found == [ContentMetrics("1", 9, 8, 7, None)]
    assert dict(script.requests[0].url.params) == {
        "start_date": "2026-08-24",
        "end_date": "2026-11-21",
        "metric_types": "IMPRESSION,TOTAL_REACTIONS,TOTAL_COMMENTS,SAVE",
    }


@pytest.mark.parametrize("value", [{"values": [{"value": 9}]}, {"total_value": {"value": 9}}])
def test_instagram_says_it_in_two_ways(value: dict[str, Any]) -> None:
    answer = {"data": [{"name": "views", **value}, {"name": "likes", "values": []}]}
    empty = json_answer(200, {"data": []})
    found, _ = counted(P.INSTAGRAM, ["1", "2", "3"], json_answer(200, answer), empty, json_answer(400, GONE))
    assert found == [ContentMetrics("1", 9, None, None, None)]


def test_facebook_may_keep_views_to_itself() -> None:
    sums = {"comments": {"summary": {"total_count": 7}}, "reactions": {"summary": {"total_count": 8}}}
    too_small = json_answer(403, {"error": {"message": "Too few likes", "code": 10}})
    views = json_answer(200, {"data": [{"name": "post_media_view", "values": [{"value": 9}]}]})
    answers = (json_answer(200, sums), too_small, json_answer(200, sums | {"shares": {"count": 6}}), views)
    found, _ = counted(P.FACEBOOK, ["1_2", "1_3", "1_4"], *answers, json_answer(400, GONE))
    assert found == [ContentMetrics("1_2", None, 8, 7, 0), ContentMetrics("1_3", 9, 8, 7, 6)]


def test_a_video_on_facebook_whose_post_was_not_known_is_counted_as_a_video() -> None:
    sums = {"comments": {"summary": {"total_count": 7}}, "likes": {"summary": {"total_count": 8}}, "views": 9}
    found, script = counted(P.FACEBOOK, ["5"], json_answer(200, sums))
    assert found == [ContentMetrics("5", 9, 8, 7, None)]
    fields = script.requests[0].url.params["fields"]
    assert fields == "views,comments.limit(0).summary(true),likes.limit(0).summary(true)"


@pytest.mark.parametrize("platform", [P.X, P.TIKTOK, P.YOUTUBE, P.PINTEREST, P.INSTAGRAM], ids=str)
def test_a_dead_token_is_not_taken_for_an_item_that_is_gone(platform: P) -> None:
    error = Script(json_answer(401, {})).fail(platform, lambda adapter: adapter.metrics(TOKEN, "1", ["1"]))
    assert error.kind is FailureKind.AUTH_EXPIRED
