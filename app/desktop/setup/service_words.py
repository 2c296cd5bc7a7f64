"""What the service says of the platforms' terms and of its self-test, in the language that is spoken.

The service speaks English. Its own sentences are said again here; what a platform said, and what a service
of another version says, stays as it is.
"""

from typing import Final

from app.language import gettext_noop
from app.workspace.service_words import KnownSentences

_SENTENCES: Final = frozenset(
    (
        gettext_noop("Create an app. LinkedIn asks for a company page that it belongs to."),
        gettext_noop(
            "Add the products “Share on LinkedIn” and “Sign In with LinkedIn using OpenID Connect”."
        ),
        gettext_noop(
            "Enter the redirect address under Auth, and copy Client ID and Client Secret from there."
        ),
        gettext_noop(
            "LinkedIn lets few apps renew access: most accounts must be connected again every 60 days."
        ),
        gettext_noop("Create an app and add the products Login Kit, for desktop, and Content Posting API."),
        gettext_noop("Enter the redirect address under Login Kit, and copy Client key and Client secret."),
        gettext_noop("Register the app for desktop; for the web TikTok takes https addresses alone."),
        gettext_noop("Until TikTok has audited the app, posts can be seen by their author alone."),
        gettext_noop("Connect an app, and ask for trial access."),
        gettext_noop("Enter the redirect address, and copy App ID and App secret key."),
        gettext_noop("While the app has trial access, pins can be seen by their author alone."),
        gettext_noop("Create an app of the type Business and add Facebook Login to it."),
        gettext_noop("Enter the redirect address under “Valid OAuth redirect URIs”."),
        gettext_noop("Copy App ID and App secret from the basic settings."),
        gettext_noop("Only professional accounts that belong to a Facebook Page can be connected."),
        gettext_noop("While the app is in development, only people with a role in it can be connected."),
        gettext_noop("Create a project, and enable YouTube Data API v3 and YouTube Analytics API in it."),
        gettext_noop(
            "Create an OAuth client for a desktop app; a web app needs the redirect address entered."
        ),
        gettext_noop("Copy Client ID and Client secret."),
        gettext_noop("While Google's consent screen is in testing, access ends after 7 days."),
        gettext_noop("Create an app and set up user authentication with the permission Read and write."),
        gettext_noop(
            "Enter the redirect address as callback. A native app has no secret, a web app has one."
        ),
        gettext_noop("Copy the Client ID of OAuth 2.0, and the Client Secret where there is one."),
        gettext_noop("X charges the app's owner for each call."),
        gettext_noop("Only Pages can be posted to, not profiles."),
        gettext_noop("Create an app with the use case for Threads."),
        gettext_noop("Enter the redirect address in its settings, and copy the Threads app ID and secret."),
        gettext_noop("Accounts are connected on the integrations page; nothing is posted there."),
        gettext_noop("What identifies the app is set."),
        gettext_noop("The practice platforms take every address."),
    )
)
_WITH_VALUES: Final = (
    gettext_noop(
        "{name} sends browsers back to https addresses alone: use this service's public address, or "
        "register any https address of yours and paste the address at which the browser ends."
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
        "{address} has the form that {name} asks for. Whether it is registered there, the first "
        "consent shows."
    ),
    gettext_noop("{address} must begin with https and have no fragment."),
    gettext_noop(
        "{name} does not send browsers back to {address}. Set public_origin, or a redirect_uri under "
        "[platforms.{platform}]."
    ),
    gettext_noop("{name} may refuse {address}: its pages ask for https, its samples do not."),
    gettext_noop(
        "{name} takes addresses such as {address}. Whether it is registered there, the first consent shows."
    ),
    gettext_noop("This version cannot talk to {name}."),
    gettext_noop("{name} did not answer within {seconds} seconds."),
    gettext_noop("{name} answered in a way that tells nothing about the app."),
    gettext_noop("{name} refused the app: {reason}"),
    gettext_noop("{name} refused a made-up code, as it should, and had nothing against the app: {reason}"),
    gettext_noop("{name} could not be asked: {reason}"),
    gettext_noop("{host} could not be reached: {why}."),
    gettext_noop("{host} can be reached."),
)


_KNOWN: Final = KnownSentences(_SENTENCES, _WITH_VALUES)


def in_words(said: str) -> str:
    """A sentence of the service, where it is known; else as it was said."""
    return _KNOWN.say(said) or said
