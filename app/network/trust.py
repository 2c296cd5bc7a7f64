"""Trusted certificate authorities for calls to servers on the internet."""

import ssl
from functools import cache

import certifi


def new_trust() -> ssl.SSLContext:
    """Return a context that trusts the public authorities and those of this computer. Blocking.

    TLS-inspecting proxies use a certificate of an authority installed on this computer.
    """
    context = ssl.create_default_context(cafile=certifi.where())
    context.load_default_certs()
    return context


@cache
def shared_trust() -> ssl.SSLContext:
    """Return a shared context, which mustn't be changed. Blocking.

    Loading the authorities takes longer than a call, and each context needs a megabyte for them.
    """
    return new_trust()
