"""What the service says of the platforms' terms and of its self-test, in the language that is spoken.

The service speaks English. Its own sentences are said again here; what a platform said, and what a service
of another version says, stays as it is.
"""

from typing import Final

from app.language import gettext_noop
from app.workspace.service_words import KnownSentences

_SENTENCES: Final = frozenset(
    (
        gettext_noop("Create an app. LinkedIn requires a company page it belongs to."),
        gettext_noop(
            "Add the products “Share on LinkedIn” and “Sign In with LinkedIn using OpenID Connect”."
        ),
        gettext_noop("Enter the redirect address under Auth, then copy the Client ID and Client Secret."),
        gettext_noop(
            "LinkedIn lets few apps renew access, so most accounts must be reconnected every 60 days."
        ),
        gettext_noop("Create an app and add the products Login Kit (for desktop) and Content Posting API."),
        gettext_noop(
            "Enter the redirect address under Login Kit, then copy the Client key and Client secret."
        ),
        gettext_noop("Register the app for desktop: for web, TikTok accepts only https addresses."),
        gettext_noop("Until TikTok has audited the app, only the author can see posts."),
        gettext_noop("Connect an app and request trial access."),
        gettext_noop("Enter the redirect address, then copy the App ID and App secret key."),
        gettext_noop("While the app has trial access, only the author can see its pins."),
        gettext_noop("Create a Business app and add Facebook Login."),
        gettext_noop("Enter the redirect address under “Valid OAuth redirect URIs”."),
        gettext_noop("Copy the App ID and App secret from the basic settings."),
        gettext_noop("Only professional accounts linked to a Facebook Page can be connected."),
        gettext_noop("While the app is in development mode, only people with a role in it can connect."),
        gettext_noop("Create a project and enable the YouTube Data API v3 and the YouTube Analytics API."),
        gettext_noop(
            "Create an OAuth client for a desktop app. For a web app, also enter the redirect address."
        ),
        gettext_noop("Copy the Client ID and Client secret."),
        gettext_noop("While Google's consent screen is in testing, access expires after 7 days."),
        gettext_noop("Create an app and set up user authentication with Read and write permission."),
        gettext_noop(
            "Enter the redirect address as the callback URL. A native app has no secret; a web app has one."
        ),
        gettext_noop("Copy the OAuth 2.0 Client ID, and the Client Secret if there is one."),
        gettext_noop("X charges the app's owner for each call."),
        gettext_noop("You can post to Pages, not to profiles."),
        gettext_noop("Create an app with the Threads use case."),
        gettext_noop("Enter the redirect address in its settings, then copy the Threads app ID and secret."),
        gettext_noop("Connect accounts on the integrations page. Nothing is posted to Threads."),
        gettext_noop("The app's credentials are set."),
        gettext_noop("Practice platforms accept any address."),
    )
)
_WITH_VALUES: Final = (
    gettext_noop(
        "{name} redirects only to https addresses. Use this service's public address, "
        "or register any https address you own and paste the address the browser "
        "ends at."
    ),
    gettext_noop(
        "No app is set up: register one with {name}, then enter its client_id and client_secret in "
        "Kalends, or in service.toml under [platforms.{platform}]."
    ),
    gettext_noop(
        "No app is set up: register one with {name}, then enter its client_id in Kalends, or in "
        "service.toml under [platforms.{platform}]."
    ),
    gettext_noop("{name} asks for client_secret, which is missing under [platforms.{platform}]."),
    gettext_noop(
        "{address} has the format {name} requires. Connecting the first account "
        "will show whether it's registered there."
    ),
    gettext_noop("{address} must start with https and have no fragment."),
    gettext_noop(
        "{name} doesn't redirect to {address}. Set public_origin, or redirect_uri "
        "under [platforms.{platform}]."
    ),
    gettext_noop("{name} may reject {address}: its documentation requires https, its samples don't."),
    gettext_noop(
        "{name} accepts addresses like {address}. Connecting the first account will "
        "show whether it's registered there."
    ),
    gettext_noop("This version doesn't support {name}."),
    gettext_noop("{name} didn't respond within {seconds} seconds."),
    gettext_noop("{name}'s response says nothing about the app."),
    gettext_noop("{name} rejected the app: {reason}"),
    gettext_noop("{name} accepted the app and rejected a made-up code, as it should: {reason}"),
    gettext_noop("Couldn't check with {name}: {reason}"),
    gettext_noop("Couldn't reach {host}: {why}."),
    gettext_noop("{host} can be reached."),
)


_KNOWN: Final = KnownSentences(_SENTENCES, _WITH_VALUES)


def in_words(said: str) -> str:
    """A sentence of the service, where it is known; else as it was said."""
    return _KNOWN.say(said) or said
