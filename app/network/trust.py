"""The authorities that are trusted in calls to servers that anyone may run."""

import ssl
from functools import cache

import certifi


def new_trust() -> ssl.SSLContext:
    """A context that trusts what browsers trust, and what this computer does. Blocking.

    A proxy that looks into what passes has a certificate by an authority of the computer.
    """
    context = ssl.create_default_context(cafile=certifi.where())
    context.load_default_certs()
    return context


@cache
def shared_trust() -> ssl.SSLContext:
    """The same context each time; nobody may change it. Blocking.

    Reading the authorities takes longer than a call, and each context keeps a megabyte of them.
    """
    return new_trust()
