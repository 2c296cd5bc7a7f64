"""Every platform and every kind of file that its rules let in, from the API to the platform's ledger."""

import html
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

import pytest

from app.contract.enums import PostingPlatform, PostType
from app.platforms.rules import RULES
from tests.service.publishing.endtoend.files import Sample, taken
from tests.service.publishing.endtoend.stage import Stage, sha256

TEXT: Final = (
    "Grüße aus Łódź 👩‍👩‍👧 — (a note) [in] {every} <kind> of_sign* #wool @home \\ | ~\n"
    "עברית و العربية 日本語\nhttps://example.com/yarn?a=1&b=2"
)
TITLE: Final = "Wool — two ways 🧶"
LINK: Final = "https://example.com/pattern?size=m&yarn=łódź"
_LABELS: Final = {
    (PostingPlatform.TIKTOK, PostType.VIDEO): "Everyone · No comments · No duets · No stitches",
    (PostingPlatform.TIKTOK, PostType.IMAGE): "Everyone · No comments",
}
"""What a platform shows beside posts of the accounts here."""


@dataclass(frozen=True)
class Kind:
    """A post as it could be made; ``full`` has everything that there is a field for."""

    platform: PostingPlatform
    post_type: PostType
    sample: Sample | None
    full: bool

    def __str__(self) -> str:
        file = f" {self.sample.name}" if self.sample else ""
        return f"{self.platform.value} {self.post_type.value}{file} {'full' if self.full else 'bare'}"

    @property
    def text(self) -> str | None:
        if self.post_type is PostType.TEXT and not self.full:
            return f"Just a text for {self.platform.value}"
        if not self.full:
            return None
        forbidden = RULES[self.platform].forbidden
        text = "".join(char for char in TEXT if char not in forbidden)
        return f"{text} {self.sample.name if self.sample else ''}".strip()

    @property
    def title(self) -> str | None:
        return TITLE if self.full or RULES[self.platform].title_needed else None

    @property
    def shown_title(self) -> str | None:
        """The title as the platform shows it: with some kinds there is none."""
        return self.title if self.post_type in RULES[self.platform].title_types else None


def _kinds() -> list[Kind]:
    kinds = []
    for platform in PostingPlatform:
        rules = RULES[platform]
        for post_type in sorted(rules.publishable):
            if post_type is PostType.TEXT:
                kinds += [Kind(platform, post_type, None, full) for full in (True, False)]
                continue
            samples = list(taken(platform, post_type))
            kinds += [Kind(platform, post_type, sample, full=True) for sample in samples]
            kinds.append(Kind(platform, post_type, samples[0], full=False))
    return kinds


def _boards(stage: Stage, account: dict[str, Any]) -> list[dict[str, Any]]:
    boards: list[dict[str, Any]] = stage.caller.http.get(f"/connections/{account['id']}/boards").json()[
        "data"
    ]
    return boards


def _body(stage: Stage, kind: Kind, account: dict[str, Any]) -> dict[str, Any]:
    body: dict[str, Any] = {
        "social_account_id": account["id"],
        "platform": kind.platform.value,
        "post_type": kind.post_type.value,
        "description": kind.text,
    }
    if kind.title is not None:
        body["title"] = kind.title
    if kind.sample is not None:
        body["media_storage_path"] = stage.stored(kind.sample)
    if RULES[kind.platform].board_needed:
        body["pinterest_board_id"] = _boards(stage, account)[1]["id"]
    if kind.full:
        board = {"pinterest_board_name": "Paper and print", "pinterest_link": LINK}
        body |= {"batch_id": "autumn", "idempotency_key": f"key {kind}", **board}
    return body


def assert_shown(stage: Stage, kind: Kind, content_id: str) -> None:
    """Where people would see it, it is whole, and its file can be had byte for byte."""
    assert_page_shows(stage, kind, f"/published/{kind.platform.value}/{quote(content_id, safe='')}")


def assert_page_shows(stage: Stage, kind: Kind, address: str) -> None:
    page = stage.practice.get(address, follow_redirects=True)
    shown = html.unescape(page.text)
    assert "PRACTICE: nothing here reaches the real platform" in shown
    for words in (kind.text, kind.shown_title):
        assert words is None or words in shown
    if kind.sample is not None:
        address = f"/files/{sha256(kind.sample.content)}"
        assert f'src="{address}"' in shown
        file = stage.practice.get(address)
        assert (file.content, file.headers["content-type"]) == (kind.sample.content, kind.sample.content_type)


def _is_usual(kind: Kind) -> bool:
    """Whether it has the first kind of file that its platform takes, or none."""
    return kind.sample is None or kind.sample == next(taken(kind.platform, kind.post_type))


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=() if _is_usual(kind) else pytest.mark.variation) for kind in _kinds()],
    ids=str,
)
def test_it_arrives_as_it_was_written(stage: Stage, kind: Kind) -> None:
    account = stage.rested(kind.platform)
    body = _body(stage, kind, account)

    post = stage.publish(body)

    record = stage.content_of(post["id"])
    [entry] = stage.ledger_of(record["content_id"])
    has_board = RULES[kind.platform].board_needed
    assert entry == {
        "platform": kind.platform.value,
        "account_identifier": account["account_identifier"],
        "content_id": record["content_id"],
        "text": kind.text or "",
        "title": kind.shown_title,
        "link": body.get("pinterest_link") if has_board else None,
        "board_id": body.get("pinterest_board_id"),
        "media_sha256": sha256(kind.sample.content) if kind.sample else None,
        "labels": _LABELS.get((kind.platform, kind.post_type), ""),
        "received_at": entry["received_at"],
    }
    assert {
        name: record[name] for name in ("platform", "title", "description", "media_type", "batch_id")
    } == {
        "platform": kind.platform.value,
        "title": kind.title,
        "description": kind.text,
        "media_type": kind.post_type.value,
        "batch_id": body.get("batch_id"),
    }
    assert (record["status"], record["created_via"]) == ("published", "rest")
    told = stage.event_of(post["id"], "post.published")
    assert (told["content_id"], told["posted_at"]) == (record["content_id"], post["posted_at"])
    assert (told["platform"], told["social_account_id"]) == (kind.platform.value, account["id"])
    assert_shown(stage, kind, record["content_id"])
    [attempt] = stage.attempts(post["id"])
    assert attempt["outcome"] == "published"
    assert_page_shows(stage, kind, attempt["content_url"])


@pytest.mark.parametrize("platform", list(PostingPlatform))
def test_every_kind_that_a_platform_takes_is_tried_or_refused(platform: PostingPlatform) -> None:
    tried = {kind.post_type for kind in _kinds() if kind.platform is platform}

    assert tried == RULES[platform].publishable <= RULES[platform].post_types
