"""Threads: accounts can be connected and displayed, but not posted to."""

from typing import Final

from app.platforms import registrations
from app.platforms.card import Access, Brand, Card, Hosts

THREADS: Final = Card(
    key="threads",
    name="Threads",
    hosts=Hosts(
        consent="https://www.threads.net",
        issuer="https://graph.threads.net",
        api="https://graph.threads.net",
        version="v1.0",
    ),
    registration=registrations.THREADS,
    access=Access.WEEKS,
    brand=Brand(account_color=7, at_sign=True),
)
