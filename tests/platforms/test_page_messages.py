"""Error pages instead of consent pages: each message, as documented or reported, and the next click."""

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.contract.enums import ConnectionPlatform as P
from app.platforms.page_messages import explain_page

GOOGLE_PAGE: Final = (
    "https://accounts.google.com/signin/oauth/error?authError=ChVyZWRpcmVjdF91cmlfbWlzbWF0Y2gSsAEKWW91IGNhbi"
    "d0IHNpZ24gaW4gdG8gdGhpcyBhcHA&client_id=1.apps.googleusercontent.com"
)
UNREGISTERED: Final = "doesn't know this redirect address"
PAGES: Final = [
    (
        P.LINKEDIN,
        "Bummer, something went wrong. The redirect_uri does not match the registered value",
        UNREGISTERED,
    ),
    (
        P.LINKEDIN,
        'Scope "w_member_social" is not authorized for your application',
        "The app lacks a product. Add “Share on LinkedIn”",
    ),
    (P.LINKEDIN, "The passed in client_id is invalid", "LinkedIn doesn't know the app"),
    (
        P.TIKTOK,
        "Something went wrong. If you're a developer, correct the following and try again: redirect_uri",
        "to Login Kit for desktop: for web, TikTok accepts only https addresses",
    ),
    (
        P.TIKTOK,
        "If you're a developer, correct the following and try again: client_key",
        "doesn't know the app",
    ),
    (
        P.TIKTOK,
        "If you're a developer, correct the following and try again: scope",
        "The app lacks a permission",
    ),
    (
        P.YOUTUBE,
        "Access blocked: This app's request is invalid Error 400: redirect_uri_mismatch",
        UNREGISTERED,
    ),
    (P.YOUTUBE, "redirect_uri_mismatch", UNREGISTERED),
    (P.YOUTUBE, GOOGLE_PAGE, UNREGISTERED),
    (
        P.YOUTUBE,
        "The app is currently being tested, and can only be accessed by developer-approved testers.",
        "this Google account isn't a test user",
    ),
    (P.YOUTUBE, "The OAuth client was not found. Error 401: invalid_client", "YouTube doesn't know the app"),
    (P.YOUTUBE, "Access blocked: Error 403: org_internal", "Choose External as its audience"),
    (
        P.X,
        "Something went wrong You weren't able to give access to the App. Go back and try logging in again.",
        "the OAuth 2.0 Client ID, not the API key",
    ),
    (
        P.FACEBOOK,
        "URL Blocked: This redirect failed because the redirect URI is not whitelisted in its settings.",
        UNREGISTERED,
    ),
    (
        P.FACEBOOK,
        "App not active: This app is not accessible right now and the app developer is aware of the issue.",
        "Switch it to Live on Meta's page",
    ),
    (P.FACEBOOK, "Invalid Scopes: pages_manage_posts.", "with the use case “Other” and the type “Business”"),
    (
        P.FACEBOOK,
        "Invalid App ID: The provided app ID does not look like a valid app ID.",
        "doesn't know the app",
    ),
    (P.INSTAGRAM, "Redirect URI does not match registered redirect URI", UNREGISTERED),
    (P.INSTAGRAM, "Insufficient developer role", "you have no role in it"),
    (P.INSTAGRAM, "Invalid platform app", "Instagram doesn't know the app"),
    (
        P.PINTEREST,
        "The provided redirect_uri http://127.0.0.1/ does not match any of the registered redirect URIs.",
        UNREGISTERED,
    ),
    (
        P.PINTEREST,
        "Your application consumer type is not supported, please contact support",
        "Pinterest hasn't given the app trial access yet",
    ),
]


@pytest.mark.parametrize(("platform", "said", "reads"), PAGES)
def test_the_page_s_message_names_the_next_click(platform: P, said: str, reads: str) -> None:
    assert reads in explain_page(platform, f" {said}\n")


@pytest.mark.parametrize(
    "pasted",
    [
        "https://www.facebook.com/dialog/oauth?client_id=1&redirect_uri=http://127.0.0.1:17217/callback&scope=a",
        "127.0.0.1:17217/callback?error_description=redirect_uri",
        "https://accounts.google.com/signin/oauth/error?authError=%C3%A4&client_id=1",
        "https://[",
        "Well, this is new.",
    ],
)
def test_what_kalends_sent_is_no_message(pasted: str) -> None:
    """The address of an error page has the redirect address and the ID in it, whatever the error is."""
    assert [explain_page(platform, pasted) for platform in P] == [""] * len(P)


@pytest.mark.parametrize("platform", [P("bluesky"), P("mastodon")])
def test_networks_without_an_app_to_set_up_have_no_advice(platform: P) -> None:
    assert explain_page(platform, "The redirect uri included is not valid.") == ""


@given(st.sampled_from(P), st.text())
def test_any_text_may_be_pasted(platform: P, pasted: str) -> None:
    explain_page(platform, pasted)
