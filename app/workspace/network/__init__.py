"""Outgoing connections, direct or through a proxy, chosen once for all calendars."""

from app.network import ProxySettings, ProxyUse
from app.workspace.network.network import FormError, FormField, Network, ProxyForm, Trial, try_out

__all__ = [
    "FormError",
    "FormField",
    "Network",
    "ProxyForm",
    "ProxySettings",
    "ProxyUse",
    "Trial",
    "try_out",
]
