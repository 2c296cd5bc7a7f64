"""LinkedIn: its Posts, Images, Videos, Organization and Analytics APIs, and its collections of samples."""

from typing import Final

from tests.platforms.specs.described.words import (
    BYTES,
    FLAG,
    NUMBER,
    SECRET_CLIENT,
    TEXT,
    call,
    document,
    grants,
    like,
    one_of,
    record,
    several,
    up_to,
)

_AUTHOR: Final = like(r"urn:li:(person|organization):[\w-]+")
_REST: Final = {
    "linkedin-version": like(r"20\d\d(0[1-9]|1[0-2])"),
    "x-restli-protocol-version": one_of("2.0.0"),
}
_FINDER: Final = {**_REST, "x-restli-method": one_of("FINDER")}
_MEDIA: Final = record(
    id=like(r"urn:li:(image|video):[\w-]+"), optional={"title": TEXT, "altText": up_to(4086)}
)
_POST: Final = record(
    author=_AUTHOR,
    commentary={"type": "string"},
    visibility=one_of("PUBLIC", "CONNECTIONS", "LOGGED_IN"),
    distribution=record(
        feedDistribution=one_of("MAIN_FEED", "NONE"),
        targetEntities={"type": "array"},
        thirdPartyDistributionChannels={"type": "array"},
    ),
    lifecycleState=one_of("PUBLISHED"),
    isReshareDisabledByAuthor=FLAG,
    optional={"content": record(media=_MEDIA)},
)
_BEGIN_VIDEO: Final = record(
    owner=_AUTHOR,
    fileSizeBytes={"type": "integer", "minimum": 75 * 1024, "maximum": 500 * 1024 * 1024},
    uploadCaptions=FLAG,
    uploadThumbnail=FLAG,
)
_END_VIDEO: Final = record(
    video=like(r"urn:li:video:[\w-]+"),
    uploadToken={"type": "string"},
    uploadedPartIds=several(TEXT, 10_000),
)
_VIDEO_ACTIONS: Final = {
    "oneOf": [record(initializeUploadRequest=_BEGIN_VIDEO), record(finalizeUploadRequest=_END_VIDEO)]
}
DOCUMENT: Final = document(
    {
        "post /oauth/v2/accessToken": call(body=grants(SECRET_CLIENT, verifier=False)),
        "get /v2/userinfo": call(scopes=("openid", "profile")),
        "get /rest/memberFollowersCount": call(query={"q": one_of("me")}, headers=_REST, scopes=()),
        "post /rest/posts": call(
            headers=_REST, body={"application/json": _POST}, scopes=("w_member_social",)
        ),
        "get /rest/posts": call(
            query={"q": one_of("author"), "author": _AUTHOR},
            optional_query={"count": NUMBER, "sortBy": one_of("CREATED", "LAST_MODIFIED")},
            headers=_FINDER,
            scopes=("r_organization_social",),
        ),
        "post /rest/images": call(
            query={"action": one_of("initializeUpload")},
            headers=_REST,
            body={"application/json": record(initializeUploadRequest=record(owner=_AUTHOR))},
            scopes=("w_member_social",),
        ),
        "get /rest/images/{urn}": call(headers=_REST, path={"urn": like(r"urn:li:image:[\w-]+")}, scopes=()),
        "post /rest/videos": call(
            query={"action": one_of("initializeUpload", "finalizeUpload")},
            headers=_REST,
            body={"application/json": _VIDEO_ACTIONS},
            scopes=("w_member_social",),
        ),
        "get /rest/videos/{urn}": call(headers=_REST, path={"urn": like(r"urn:li:video:[\w-]+")}, scopes=()),
        "put /dms-uploads/{key}": call(body={"image/jpeg": {}, "image/png": {}, "image/gif": {}}, scopes=()),
        # Addresses that are secrets of their own: no token comes along.
        "put /dms-uploads/{key}/{part}": call(body={BYTES: {}}),
        "put /dms-uploads/{key}/thumbnail/{part}": call(
            headers={"media-type-family": one_of("STILLIMAGE")}, body={BYTES: {}}
        ),
        "get /rest/organizationAcls": call(
            query={"q": one_of("roleAssignee"), "state": one_of("APPROVED")},
            optional_query={"role": TEXT, "count": NUMBER},
            headers=_FINDER,
            scopes=("rw_organization_admin",),
        ),
        "get /v2/organizations/{id}": call(
            query={"projection": like(r"\(.+\)")},
            path={"id": like(r"\d+")},
            scopes=("rw_organization_admin",),
        ),
        "get /rest/networkSizes/{urn}": call(
            query={"edgeType": one_of("COMPANY_FOLLOWED_BY_MEMBER")},
            headers=_REST,
            path={"urn": _AUTHOR},
            scopes=("rw_organization_admin",),
        ),
        "get /rest/organizationalEntityShareStatistics": call(
            query={"q": one_of("organizationalEntity"), "organizationalEntity": _AUTHOR},
            optional_query={
                "shares": like(r"List\(urn:li:share:\d+(,urn:li:share:\d+)*\)"),
                "ugcPosts": like(r"List\(urn:li:ugcPost:\d+(,urn:li:ugcPost:\d+)*\)"),
            },
            headers=_FINDER,
            scopes=("rw_organization_admin",),
        ),
        "get /rest/memberCreatorPostAnalytics": call(
            query={
                "q": one_of("entity"),
                "entity": like(r"\((share:urn:li:share|ugc:urn:li:ugcPost):\d+\)"),
                "queryType": one_of("IMPRESSION", "MEMBERS_REACHED", "REACTION", "COMMENT", "RESHARE"),
                "aggregation": one_of("TOTAL", "DAILY"),
            },
            headers=_FINDER,
            scopes=("r_member_postAnalytics",),
        ),
    }
)
