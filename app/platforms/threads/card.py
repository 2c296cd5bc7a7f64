"""Threads: accounts can be connected and displayed, but not posted to."""

from typing import Final

from app.language import gettext_noop
from app.platforms.card import Access, Brand, Card, Hosts, Loopback, Registration
from app.platforms.meta.terms import HTTPS_ONLY, PORTAL

THREADS: Final = Card(
    key="threads",
    name="Threads",
    hosts=Hosts(
        consent="https://www.threads.net",
        issuer="https://graph.threads.net",
        api="https://graph.threads.net",
        version="v1.0",
    ),
    registration=Registration(
        loopback=Loopback.REFUSED,
        portal=PORTAL,
        steps=(
            gettext_noop("Create an app with the Threads use case."),
            gettext_noop(
                "Enter the redirect address in its settings, then copy the Threads app ID and secret."
            ),
        ),
        remarks=(
            gettext_noop("Connect accounts on the integrations page. Nothing is posted to Threads."),
            HTTPS_ONLY,
        ),
        id_name=gettext_noop("Threads app ID"),
        secret_name=gettext_noop("Threads app secret"),
    ),
    access=Access.WEEKS,
    brand=Brand(account_color=7, at_sign=True),
)
