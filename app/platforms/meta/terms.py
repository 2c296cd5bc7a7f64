"""The common parts of the cards of Facebook, Instagram and Threads."""

from typing import Final

from app.language import gettext_noop
from app.platforms.card import Hosts

# Graph API v25.0 is supported until 2028-07-29.
GRAPH: Final = Hosts(
    consent="https://www.facebook.com",
    issuer="https://graph.facebook.com",
    api="https://graph.facebook.com",
    version="v25.0",
    # Meta's video publishing guide and its own libraries use this host for all phases.
    videos="https://graph-video.facebook.com",
    uploads=("facebook.com",),
)
PORTAL: Final = "https://developers.facebook.com/apps"
STEPS: Final = (
    gettext_noop("Create a Business app and add Facebook Login."),
    gettext_noop("Enter the redirect address under “Valid OAuth redirect URIs”."),
    gettext_noop("Copy the App ID and App secret from the basic settings."),
)
HTTPS_ONLY: Final = gettext_noop(
    "{name} redirects only to https addresses. Use this service's public address, "
    "or register any https address you own and paste the address the browser "
    "ends at."
)
REMARKS: Final = (
    gettext_noop("While the app is in development mode, only people with a role in it can connect."),
    HTTPS_ONLY,
)
