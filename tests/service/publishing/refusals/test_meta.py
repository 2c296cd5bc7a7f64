"""Facebook and Instagram: what the codes of the Graph API mean, and what a person reads."""

from typing import Any, Final

import httpx
import pytest

from app.contract.enums import PostingPlatform, PostType
from app.platforms.base import FailureKind as K
from app.platforms.cards import name_of
from app.platforms.meta.graph import NEW_CONTAINER
from tests.platforms.scripted import json_answer
from tests.service.publishing.refusals.reading import Told, check, check_renewal, publication

FACEBOOK, INSTAGRAM = PostingPlatform.FACEBOOK, PostingPlatform.INSTAGRAM
SIGN_IN: Final = "{name} no longer accepts this account's sign-in. Connect the account again"
PERMISSION: Final = "{name} doesn't let this account publish this. Check the account's role"
RESTRICTED: Final = "{name} has restricted this account. Resolve this on"
SLOW: Final = "{name} asked to slow down. The post is retried"
TROUBLE: Final = "{name} couldn't be reached or had a problem. The post is retried"
LOST: Final = "The connection was lost before {name} answered. Kalends checks the account there"
COPY: Final = "{name} says that the same content is already there. Change the text"
CONTENT: Final = "{name} refused the content. Change what its message names"
FILE: Final = "{name} couldn't use the file. Export it again"
SIZE: Final = "The file is too large or too small for {name}. Export it in another size"
SHAPE: Final = "{name} doesn't accept the file's shape, resolution or frame rate. Crop it"
LENGTH: Final = "The video is too long or too short for {name}. Change its length"
ADDRESS: Final = "{name} couldn't fetch the file from its public address. Check the public address"
LINK: Final = "{name} doesn't accept a link in the post. Change or remove it"
POLICY: Final = "{name} says that the post breaks its rules. Change it"
TEXT: Final = "{name} doesn't accept something in the text, such as a tag or a character. Change the text"
TEXT_LENGTH: Final = "The text is too long for {name}. Shorten it"
SPAM: Final = "{name} considers the post spam, or there were too many posts. Change it"
USED_UP: Final = "This account has used up what {name} allows for now. Schedule the post for a later time"


def told_by(
    platform: PostingPlatform,
    code: int,
    subcode: int | None,
    kind: K,
    reads: str,
    status: int = 400,
    **more: Any,
) -> Told:
    """One line of Meta's table."""
    error = {"message": "Words.", "type": "OAuthException", "code": code, "fbtrace_id": "A", **more}
    if subcode is not None:
        error["error_subcode"] = subcode
    named = str(code) if subcode is None else f"{code}/{subcode}"
    return Told(named, (status, {"error": error}), kind, named, reads.format(name=name_of(platform)))


COMMON: Final = [
    *((190, subcode, K.AUTH_EXPIRED, SIGN_IN) for subcode in (None, 458, 460, 463, 467, 492)),
    (102, None, K.AUTH_EXPIRED, SIGN_IN),
    (10, None, K.PERMISSION, PERMISSION),
    (200, None, K.PERMISSION, PERMISSION),
    (299, None, K.PERMISSION, PERMISSION),
    *((code, None, K.RATE_LIMITED, SLOW) for code in (4, 17, 32, 613, 80001, 80014)),
    (1, None, K.AMBIGUOUS, LOST),
    (2, None, K.AMBIGUOUS, LOST),
    (100, None, K.INVALID, CONTENT),
    (4242, None, K.INVALID, CONTENT),
]
OF_FACEBOOK: Final = [
    (341, None, K.RATE_LIMITED, SLOW),
    (100, 2061006, K.INVALID, LINK),
    (100, 1349125, K.INVALID, TEXT),
    (368, None, K.PERMISSION, RESTRICTED),
    (506, None, K.DUPLICATE, COPY),
    (324, 1366046, K.INVALID, FILE),
    (1, 1366046, K.INVALID, FILE),
    (100, 1366051, K.DUPLICATE, COPY),
    (1, 1346003, K.INVALID, POLICY),
    (1, 1404102, K.INVALID, POLICY),
    (1, 1390008, K.RATE_LIMITED, SLOW),
    (1, 1404078, K.PERMISSION, RESTRICTED),
    (1, 4854002, K.PERMISSION, RESTRICTED),
    (1, 1363047, K.AMBIGUOUS, LOST),
    (1, 1609010, K.AMBIGUOUS, LOST),
    (1, 1609008, K.INVALID, LINK),
]
OF_INSTAGRAM: Final = [
    (9, 2207042, K.QUOTA, USED_UP),
    (9007, 2207027, K.TRANSIENT, TROUBLE),
    (9007, None, K.TRANSIENT, TROUBLE),
    (-2, 2207003, K.AMBIGUOUS, LOST),
    (-1, 2207001, K.AMBIGUOUS, LOST),
    (-1, 2207032, K.TRANSIENT, TROUBLE),
    (-1, 2207053, K.TRANSIENT, TROUBLE),
    (-1, 2207082, K.AMBIGUOUS, LOST),
    (-2, 2207020, K.TRANSIENT, TROUBLE),
    (24, 2207008, K.TRANSIENT, TROUBLE),
    (9004, 2207052, K.INVALID, ADDRESS),
    (352, 2207026, K.INVALID, FILE),
    (36000, 2207004, K.INVALID, SIZE),
    (36001, 2207005, K.INVALID, FILE),
    (36003, 2207009, K.INVALID, SHAPE),
    (36004, 2207010, K.INVALID, TEXT_LENGTH),
    (100, 2207040, K.INVALID, TEXT),
    (1, 2207057, K.INVALID, LENGTH),
    (25, 2207050, K.PERMISSION, RESTRICTED),
    (-1, 2207051, K.PERMISSION, SPAM),
]
Line = tuple[int, int | None, K, str]


@pytest.mark.parametrize("line", [*COMMON, *OF_FACEBOOK], ids=str)
def test_a_refused_post_of_a_page(line: Line) -> None:
    check(FACEBOOK, told_by(FACEBOOK, *line), publication(FACEBOOK, "1", PostType.TEXT))


def container(*last: httpx.Response) -> list[httpx.Response]:
    """The answers on the way to a picture's container."""
    source = {"images": [{"source": "https://scontent.example.com/a.jpg"}]}
    ready = json_answer(200, {"status_code": "FINISHED", "status": ""})
    made = [json_answer(200, {"id": "7"}), json_answer(200, source), json_answer(200, {"id": "8"})]
    return [*made, *(last or (ready,))]


@pytest.mark.parametrize("line", [*COMMON, *OF_INSTAGRAM], ids=str)
def test_a_refused_publication_of_a_container(line: Line) -> None:
    told = told_by(INSTAGRAM, *line)
    unused = json_answer(200, {"status_code": "EXPIRED", "status": ""})
    after = [unused] if line[1] in NEW_CONTAINER else []

    check(INSTAGRAM, told, publication(INSTAGRAM, "1", PostType.IMAGE), container(), after)


@pytest.mark.parametrize("platform", [FACEBOOK, INSTAGRAM])
def test_trouble_by_status_and_by_metas_own_word(platform: PostingPlatform) -> None:
    post = publication(platform, "1", PostType.IMAGE)

    check(platform, told_by(platform, 1, None, K.TRANSIENT, TROUBLE, status=500), post)
    check(platform, told_by(platform, 4242, None, K.TRANSIENT, TROUBLE, is_transient=True), post)


@pytest.mark.parametrize(
    ("status", "words", "kind", "code", "reads"),
    [
        ("ERROR", "Error: Media upload has failed with error code 2207026", K.INVALID, "2207026", FILE),
        ("ERROR", "Error: 2207009", K.INVALID, "2207009", SHAPE),
        ("ERROR", "Error: 2207003", K.TRANSIENT, "2207003", TROUBLE),
        ("ERROR", "", K.INVALID, "ERROR", FILE),
        ("EXPIRED", "Expired: the container is too old", K.TRANSIENT, "EXPIRED", TROUBLE),
    ],
)
def test_a_container_that_comes_to_nothing(status: str, words: str, kind: K, code: str, reads: str) -> None:
    said = words or "Instagram couldn't use the file."
    body = {"status_code": status, "status": words}
    told = Told("", (200, body), kind, code, reads.format(name="Instagram"), said=said)

    check(INSTAGRAM, told, publication(INSTAGRAM, "1", PostType.IMAGE), container()[:3])


@pytest.mark.parametrize("platform", [FACEBOOK, INSTAGRAM])
@pytest.mark.parametrize(
    ("code", "subcode", "kind", "reads"),
    [
        (100, 36009, K.AUTH_EXPIRED, SIGN_IN),
        (190, 463, K.AUTH_EXPIRED, SIGN_IN),
        (1, None, K.PERMISSION, "{name} doesn't accept the app that Kalends uses there"),
        (101, None, K.PERMISSION, "{name} doesn't accept the app that Kalends uses there"),
    ],
)
def test_refused_tokens(
    platform: PostingPlatform, code: int, subcode: int | None, kind: K, reads: str
) -> None:
    check_renewal(platform, told_by(platform, code, subcode, kind, reads))
