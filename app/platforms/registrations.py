"""How to register an app with each platform: its pages, what to do there, and the traps.

All of it was checked on the date below. Platforms move their pages often: change the date with the texts.
"""

from datetime import date
from typing import Final

from app.language import gettext_noop
from app.platforms.card import Loopback, Registration, Step

_AS_OF: Final = date(2026, 11, 22)

LINKEDIN: Final = Registration(
    as_of=_AS_OF,
    loopback=Loopback.UNSURE,
    portal="https://www.linkedin.com/developers/apps",
    steps=(
        Step(
            gettext_noop("Create an app. LinkedIn requires a company page it belongs to."),
            "https://www.linkedin.com/developers/apps/new",
        ),
        Step(
            gettext_noop(
                "Add the products “Share on LinkedIn” and “Sign In with LinkedIn using OpenID Connect”."
            )
        ),
        Step(
            gettext_noop("Enter the redirect address under Auth, then copy the Client ID and Client Secret.")
        ),
    ),
    remarks=(
        gettext_noop(
            "LinkedIn leaves out permissions of products the app lacks, without an error. "
            "Kalends checks this when you connect an account."
        ),
        gettext_noop(
            "LinkedIn lets few apps renew access, so most accounts must be reconnected every 60 days."
        ),
    ),
    publishing=frozenset({"w_member_social"}),
    permission_advice="Add the product “Share on LinkedIn” to the app, then start again.",
)

TIKTOK: Final = Registration(
    as_of=_AS_OF,
    loopback=Loopback.TAKEN,
    portal="https://developers.tiktok.com/apps",
    steps=(
        Step(
            gettext_noop(
                "Create an app and add the products Login Kit (for desktop) and Content Posting API."
            ),
            "https://developers.tiktok.com/apps",
        ),
        Step(
            gettext_noop(
                "Under Content Posting API, turn on Direct Post, which publishes posts directly. "
                "Without it, posts go to your TikTok inbox, and you finish them in TikTok's app."
            )
        ),
        Step(
            gettext_noop(
                "Under Scopes, add user.info.profile, user.info.stats, video.list, video.publish for Direct "
                "Post, and video.upload for the inbox."
            )
        ),
        Step(
            gettext_noop(
                "Enter the redirect address under Login Kit, then copy the Client key and Client secret."
            )
        ),
        Step(gettext_noop("Submit the app for review. Until it's approved, your posts can't be public.")),
    ),
    remarks=(
        gettext_noop("Register the app for desktop: for web, TikTok accepts only https addresses."),
        gettext_noop(
            "Until TikTok has audited the app, it publishes only to private accounts, "
            "and only the author can see posts."
        ),
        gettext_noop(
            "Posts to your TikTok inbox need no audit: what you finish in TikTok's app can be public. "
            "TikTok takes five in 24 hours."
        ),
    ),
    id_name=gettext_noop("Client key"),
    publishing=frozenset({"video.publish"}),
    permission_advice="Start again and allow it, or allow video.upload: posts then go to your TikTok inbox.",
)

PINTEREST: Final = Registration(
    as_of=_AS_OF,
    loopback=Loopback.TAKEN,
    portal="https://developers.pinterest.com/apps",
    steps=(
        Step(
            gettext_noop("Connect an app and request trial access."), "https://developers.pinterest.com/apps"
        ),
        Step(gettext_noop("Enter the redirect address, then copy the App ID and App secret key.")),
        Step(
            gettext_noop(
                "Once you've published a Pin, request standard access with a video that shows how you did it."
            )
        ),
    ),
    remarks=(gettext_noop("While the app has trial access, only the author can see its pins."),),
    id_name=gettext_noop("App ID"),
    secret_name=gettext_noop("App secret key"),
    publishing=frozenset({"pins:write"}),
    permission_advice="Allow everything on Pinterest's page, then start again.",
    hidden_advice=gettext_noop(
        "Open your last Pin in a private window. If it isn't there, the app has trial access: request "
        "standard access on Pinterest's page."
    ),
    audit="https://developers.pinterest.com/apps",
)

YOUTUBE: Final = Registration(
    as_of=_AS_OF,
    loopback=Loopback.TAKEN,
    portal="https://console.cloud.google.com/apis/credentials",
    steps=(
        Step(
            gettext_noop(
                "Create a project and enable the YouTube Data API v3 and the YouTube Analytics API."
            ),
            "https://console.cloud.google.com/apis/library",
        ),
        Step(
            gettext_noop("Set up the consent screen, and publish the app or add yourself as a test user."),
            "https://console.cloud.google.com/auth/audience",
        ),
        Step(
            gettext_noop(
                "Create an OAuth client for a desktop app. For a web app, also enter the redirect address."
            ),
            "https://console.cloud.google.com/apis/credentials",
        ),
        Step(gettext_noop("Copy the Client ID and Client secret.")),
    ),
    remarks=(
        gettext_noop("While Google's consent screen is in testing, access expires after 7 days."),
        gettext_noop(
            "Google may keep videos private that come from a project it hasn't audited. "
            "Look at your first video on YouTube, and request an audit if it's private."
        ),
    ),
    publishing=frozenset({"https://www.googleapis.com/auth/youtube.upload"}),
    permission_advice="Tick every box on Google's page, then start again.",
    hidden_advice=gettext_noop(
        "Your last video on YouTube is private. Unless you did that yourself, Google hides it because it "
        "hasn't audited your project: ask for an audit."
    ),
    audit="https://support.google.com/youtube/contact/yt_api_form",
    testing=Step(
        gettext_noop(
            "Google ends this access after 7 days, because the consent screen is in testing. Publish the app "
            "on Google's page, then connect the account again."
        ),
        "https://console.cloud.google.com/auth/audience",
    ),
)

X: Final = Registration(
    as_of=_AS_OF,
    loopback=Loopback.TAKEN,
    portal="https://console.x.com",
    steps=(
        Step(
            gettext_noop(
                "Create an app in X's developer console and set up user authentication with Read and write "
                "permission."
            ),
            "https://console.x.com",
        ),
        Step(
            gettext_noop(
                "Enter the redirect address as the callback URL. A native app has no secret; "
                "a web app has one."
            )
        ),
        Step(gettext_noop("Copy the OAuth 2.0 Client ID, and the Client Secret if there is one.")),
        Step(gettext_noop("Buy credits there. X has no free plan; without credits, no post is published.")),
    ),
    remarks=(
        gettext_noop(
            "X charges the app's owner for each call, and more for a post with a link. "
            "The composer shows the price."
        ),
    ),
    secret=False,
    publishing=frozenset({"tweet.write"}),
    permission_advice="Set the app's permission to Read and write, then start again.",
)

_META: Final = "https://developers.facebook.com/apps"
_HTTPS_ONLY: Final = gettext_noop(
    "{name} redirects only to https addresses. Use this service's public address, "
    "or register any https address you own and paste the address the browser "
    "ends at."
)
_META_STEPS: Final = (
    Step(
        gettext_noop(
            "Create an app. As use case, choose “Other”, then the type “Business”: apps made for another use "
            "case can't ask for the permissions Kalends needs."
        ),
        "https://developers.facebook.com/apps/creation/",
    ),
    Step(
        gettext_noop(
            "Add Facebook Login, and enter the redirect address under “Valid OAuth redirect URIs” in its "
            "settings."
        )
    ),
    Step(gettext_noop("Copy the App ID and App secret from the basic settings.")),
    Step(
        gettext_noop(
            "Switch the app from Development to Live. Before that, your posts look published, but only "
            "people with a role in the app see them."
        )
    ),
)
_META_REMARKS: Final = (
    gettext_noop("While the app is in development mode, only people with a role in it can connect."),
    _HTTPS_ONLY,
)

_META_HIDDEN: Final = gettext_noop(
    "Open your last post in a private window. If it isn't there, the app is in Development: switch it to "
    "Live on Meta's page. Meta doesn't tell Kalends which one it is."
)
_META_ADVICE: Final = (
    "Start again and allow everything. If Meta's page doesn't ask for it, the app was made for another use "
    "case: create one with the use case “Other” and the type “Business”."
)

FACEBOOK: Final = Registration(
    as_of=_AS_OF,
    loopback=Loopback.REFUSED,
    portal=_META,
    steps=_META_STEPS,
    remarks=(gettext_noop("You can post to Pages, not to profiles."), *_META_REMARKS),
    id_name=gettext_noop("App ID"),
    secret_name=gettext_noop("App secret"),
    publishing=frozenset({"pages_manage_posts"}),
    permission_advice=_META_ADVICE,
    hidden_advice=_META_HIDDEN,
    audit=_META,
)

INSTAGRAM: Final = Registration(
    as_of=_AS_OF,
    loopback=Loopback.REFUSED,
    portal=_META,
    steps=_META_STEPS,
    remarks=(
        gettext_noop("Only professional accounts linked to a Facebook Page can be connected."),
        *_META_REMARKS,
    ),
    id_name=gettext_noop("App ID"),
    secret_name=gettext_noop("App secret"),
    publishing=frozenset(
        {
            "instagram_content_publish",
            "pages_manage_posts",  # pictures are uploaded to the Page first
            "instagram_business_content_publish",  # with Instagram Login, which needs only this one
        }
    ),
    permission_advice=_META_ADVICE,
    hidden_advice=_META_HIDDEN,
    audit=_META,
)

THREADS: Final = Registration(
    as_of=_AS_OF,
    loopback=Loopback.REFUSED,
    portal=_META,
    steps=(
        Step(
            gettext_noop("Create an app with the Threads use case."),
            "https://developers.facebook.com/apps/creation/",
        ),
        Step(
            gettext_noop(
                "Enter the redirect address in its settings, then copy the Threads app ID and secret."
            )
        ),
    ),
    remarks=(
        gettext_noop("Connect accounts on the integrations page. Nothing is posted to Threads."),
        _HTTPS_ONLY,
    ),
    id_name=gettext_noop("Threads app ID"),
    secret_name=gettext_noop("Threads app secret"),
)
