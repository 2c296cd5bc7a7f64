"""LinkedIn's organizations and post metrics, part of its vetted product, and its text format.

Source of the "little text" format: its description in LinkedIn's Posts API.
"""

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any
from urllib.parse import unquote

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response

from app.practice.faults import Operation
from app.practice.grants import Grant
from app.practice.identities import Identity
from app.practice.ledger import Publication, counts_of
from app.practice.platforms.base import Platform, PlatformError
from app.practice.platforms.linkedin_media import urn_of

_TOKEN = re.compile(
    r"""
      \\(?P<escaped>[\\|{}@\[\]()<>#*_~])
    | \{hashtag\|\\?\#\|(?P<tag>[^{}|]+)\}
    | @\[(?P<name>(?:\\.|[^\]\\])+)\]\(urn:li:\w+:[\w-]+\)
    | (?P<cut>\()
    | (?P<plain>.)
    """,
    re.VERBOSE | re.DOTALL,
)

_NAMES = ("works", "museum")
_LONGEST_PERSON = 30
_URN = r"urn%3Ali%3A(?:share|ugcPost)%3A\d+"
_LIST = re.compile(rf"List\(({_URN}(?:,{_URN})*)\)", re.IGNORECASE)
_ENTITY = re.compile(r"\((?:share:(urn%3Ali%3Ashare%3A\d+)|ugc:(urn%3Ali%3AugcPost%3A\d+))\)", re.IGNORECASE)
_QUOTED_SIGN = re.compile(r"^(?:List)?%28", re.IGNORECASE)
_BARE_SIGN = re.compile(r"[(),:']")
_COUNTED = {"IMPRESSION": "views", "REACTION": "likes", "COMMENT": "comments", "RESHARE": "shares"}
_HIGHEST_NUMBER = 2**63 - 1

Refuse = Callable[[int, str, str], JSONResponse]


def shown_text(commentary: str) -> str:
    """Return the visible text.

    Escapes are resolved, hashtags and mentions become their names, and an unescaped ``(`` silently ends the
    text, like on the real platform.
    """
    shown: list[str] = []
    for token in _TOKEN.finditer(commentary):
        if token["cut"]:
            break
        if token["tag"]:
            shown.append("#" + token["tag"])
        elif token["name"]:
            shown.append(shown_text(token["name"]))
        else:
            shown.append(token["escaped"] or token["plain"])
    return "".join(shown)


def escaped(text: str) -> str:
    """Return the commentary that renders as exactly this text."""
    return re.sub(r"[\\|{}@\[\]()<>#*_~]", r"\\\g<0>", text)


def number_of(urn: str) -> int:
    """Return the number in a post's URN."""
    return int(urn.rpartition(":")[2])


def organizations_of(grant: Grant) -> dict[str, Identity]:
    """Return the two organizations that the token's member runs, with names derived from the member's."""
    person = grant.identity
    name = person.account[:_LONGEST_PERSON]
    every = [Identity.of(person.platform, f"{name}-{each}") for each in _NAMES]
    return {f"urn:li:organization:{_number(each)}": each for each in every}


class LinkedInOrganizations:
    """The endpoints of the vetted product.

    Args:
        platform: LinkedIn, for callers and faults.
        refuse: Makes a LinkedIn error from status, code and message.
    """

    def __init__(self, platform: Platform, refuse: Refuse) -> None:
        self._platform = platform
        self._desk = platform.desk
        self._refuse = refuse

    def add_routes(self, router: APIRouter) -> None:
        router.add_api_route("/rest/organizationAcls", self.roles, methods=["GET"])
        router.add_api_route("/v2/organizations/{number}", self.organization, methods=["GET"])
        router.add_api_route("/rest/networkSizes/{urn}", self.followers, methods=["GET"])
        router.add_api_route("/rest/memberCreatorPostAnalytics", self.count, methods=["GET"])
        router.add_api_route("/rest/organizationalEntityShareStatistics", self.statistics, methods=["GET"])

    async def roles(self, request: Request) -> Response:
        """Return the roles of the token's member in organizations."""
        grant = await self._platform.caller(request, "rw_organization_admin")
        if request.query_params.get("q") != "roleAssignee":
            raise PlatformError(self._refuse(400, "ILLEGAL_ARGUMENT", "q must be roleAssignee"))
        elements = [
            {
                "organization": urn,
                "roleAssignee": grant.identifier,
                "role": "ADMINISTRATOR",
                "state": "APPROVED",
            }
            for urn in organizations_of(grant)
        ]
        return JSONResponse({"elements": elements, "paging": _paging(len(elements))})

    async def organization(self, request: Request, number: str) -> Response:
        """Return an organization with its logo."""
        grant = await self._platform.caller(request, "rw_organization_admin")
        shown = organizations_of(grant).get(f"urn:li:organization:{number}")
        if shown is None:
            return self._refuse(404, "RESOURCE_NOT_FOUND", "No such organization")
        picture = {"identifiers": [{"identifier": self._platform.avatar(request, shown)}]}
        return JSONResponse(
            {
                "id": int(number),
                "localizedName": shown.display_name,
                "vanityName": shown.account,
                "logoV2": {"original~": {"elements": [picture]}},
            }
        )

    async def followers(self, request: Request, urn: str) -> Response:
        """Return an organization's follower count."""
        grant = await self._platform.caller(request, "rw_organization_admin")
        shown = organizations_of(grant).get(urn)
        if shown is None or request.query_params.get("edgeType") != "COMPANY_FOLLOWED_BY_MEMBER":
            return self._refuse(400, "ILLEGAL_ARGUMENT", "edgeType or organization is not known")
        return JSONResponse({"firstDegreeSize": shown.followers})

    async def posts(self, request: Request, grant: Grant, author: str) -> Response:
        """Return an organization's posts, newest first."""
        await self._platform.caller(request, "r_organization_social")
        self._parameters(request)
        count = request.query_params.get("count", "10")
        if not count.isdigit() or not 0 < int(count) <= 100 or request.query_params.get("q") != "author":
            raise PlatformError(self._refuse(400, "ILLEGAL_ARGUMENT", "q or count is not valid"))

        def work() -> Response:
            found = self._desk.ledger.of_account(
                self._platform.name, author, since="", below=_HIGHEST_NUMBER, limit=int(count)
            )
            return JSONResponse(
                {"elements": [self._shown(each) for each in found], "paging": _paging(len(found))}
            )

        return await self._platform.answer(Operation.LOOK_BACK, grant.identifier, work)

    async def count(self, request: Request) -> Response:
        """Return one metric of a member's post."""
        grant = await self._platform.caller(request, "r_member_postAnalytics")
        query, raw = request.query_params, self._parameters(request, "entity")
        entity = _ENTITY.fullmatch(raw.get("entity", ""))
        name = _COUNTED.get(query.get("queryType", ""))
        if (
            entity is None
            or name is None
            or (query.get("q"), query.get("aggregation")) != ("entity", "TOTAL")
        ):
            raise PlatformError(self._refuse(400, "ILLEGAL_ARGUMENT", "entity or queryType is not valid"))
        urn = unquote(entity.group(1) or entity.group(2))

        def work() -> Response:
            found = self._desk.ledger.find(self._platform.name, urn)
            if found is None or found.account_identifier != grant.identifier:
                return self._refuse(403, "ACCESS_DENIED", "The post is not the member's")
            number = getattr(counts_of(found, self._desk.settings.clock()), name)
            element = {"count": number, "metricType": query["queryType"]}
            return JSONResponse({"elements": [element], "paging": _paging(1)})

        return await self._platform.answer(Operation.METRICS, grant.identifier, work)

    async def statistics(self, request: Request) -> Response:
        """Return the metrics of an organization's posts, without posts that have none."""
        grant = await self._platform.caller(request, "rw_organization_admin")
        query, raw = request.query_params, self._parameters(request, "shares", "ugcPosts")
        author = query.get("organizationalEntity", "")
        kind = "share" if "shares" in query else "ugcPost"
        asked = _LIST.fullmatch(raw.get(f"{kind}s", ""))
        if asked is None or query.get("q") != "organizationalEntity" or author not in organizations_of(grant):
            raise PlatformError(
                self._refuse(400, "ILLEGAL_ARGUMENT", "The finder's parameters are not valid")
            )
        urns = unquote(asked.group(1)).split(",")

        def work() -> Response:
            found = [self._desk.ledger.find(self._platform.name, urn) for urn in urns]
            if any(each is None or each.account_identifier != author for each in found):
                message = f"Unpermitted fields present in PARAMETER: [/{kind}s[0]]"
                return self._refuse(403, "ACCESS_DENIED", message)
            elements = [self._totals(kind, each) for each in found if each is not None]
            return JSONResponse({"elements": elements, "paging": _paging(len(elements))})

        return await self._platform.answer(Operation.METRICS, grant.identifier, work)

    def _parameters(self, request: Request, *structured: str) -> dict[str, str]:
        """Parse the raw query.

        Rest.li uses unescaped characters for lists and records, and escaped ones in text.

        Raises PlatformError for anything else.
        """
        raw = dict(part.partition("=")[::2] for part in request.url.query.split("&"))
        for name, value in raw.items():
            if (_QUOTED_SIGN if name in structured else _BARE_SIGN).search(value):
                raise PlatformError(self._refuse(400, "ILLEGAL_ARGUMENT", f"Parameter '{name}' is invalid"))
        return raw

    def _shown(self, publication: Publication) -> dict[str, Any]:
        received, modified = publication.received_at, publication.edited_at or publication.received_at
        shown: dict[str, Any] = {
            "id": publication.content_id,
            "author": publication.account_identifier,
            "commentary": escaped(publication.text),
            "createdAt": _ms(received),
            "lastModifiedAt": _ms(modified),
            "lifecycleStateInfo": {"isEditedByAuthor": bool(publication.edited_at)},
            "lifecycleState": "PUBLISHED",
            "visibility": "PUBLIC",
        }
        if publication.media_sha256 is not None:  # LinkedIn omits it for posts without a file
            file = self._desk.uploads.used_in(self._platform.name, number_of(publication.content_id))
            shown["content"] = {"media": {"id": urn_of(file)}} if file else {}
        return shown

    def _totals(self, kind: str, publication: Publication) -> dict[str, Any]:
        counts = counts_of(publication, self._desk.settings.clock())
        totals = {
            "impressionCount": counts.views,
            "likeCount": counts.likes,
            "commentCount": counts.comments,
            "shareCount": counts.shares,
        }
        return {
            kind: publication.content_id,
            "organizationalEntity": publication.account_identifier,
            "totalShareStatistics": totals,
        }


def _ms(moment: str) -> int:
    return int(datetime.fromisoformat(moment).timestamp() * 1000)


def _number(organization: Identity) -> int:
    """Eight digits, like the IDs of organizations."""
    return 10**7 + organization.seed % (9 * 10**7)


def _paging(count: int) -> dict[str, Any]:
    return {"start": 0, "count": count, "links": []}
