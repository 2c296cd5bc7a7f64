"""The proxy settings typed by the user, checked before use."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from app.language import tr
from app.network import (
    AddressFault,
    BadAddressError,
    BadExceptionError,
    Exceptions,
    Proxy,
    ProxySettings,
    ProxyUse,
)
from app.network.exceptions import entries
from app.workspace.messages import Problem

_ADDRESS: Final = {
    AddressFault.FORM: tr("That isn't a proxy address. It should look like http://proxy.example.com:3128."),
    AddressFault.SCHEME: tr("The address must start with http://, https:// or socks5://."),
    AddressFault.PORT: tr(
        "The port is missing. Add it after the host name, for example http://proxy.example.com:3128."
    ),
    AddressFault.USER: tr("Enter the username and password in their own fields, not in the address."),
}
_LONGEST: Final = 255
_LONGEST_ADDRESS: Final = 500
_LONGEST_LIST: Final = 4_000
"""Maximum length of the exceptions, in characters: the service gets them in one line of 16 KiB."""


class FormField(StrEnum):
    """A field that has to be corrected."""

    ADDRESS = "address"
    USER = "user"
    PASSWORD = "password"  # noqa: S105  a field's name
    EXCEPTIONS = "exceptions"


class FormError(Problem):
    """The input can't be used."""

    def __init__(self, where: FormField, text: str) -> None:
        super().__init__(text, kind="form")
        self.where = where


@dataclass(frozen=True, slots=True)
class ProxyForm:
    """The input. A ``password`` of None means the stored one."""

    use: ProxyUse
    address: str = ""
    user: str = ""
    password: str | None = field(default=None, repr=False)
    exceptions: str = ""
    names_at_proxy: bool = False

    def settings(self) -> ProxySettings:
        """Return the settings to store. Raises FormError for the first invalid field.

        The user's own proxy is stored even while another choice is selected.
        """
        address, user = self.address.strip(), self.user.strip()
        own = self.use is ProxyUse.OWN
        if own or address:
            _check_address(address)
        if ":" in user or not user.isprintable() or len(user.encode()) > _LONGEST:
            raise FormError(
                FormField.USER, tr("A username can't contain a colon or be longer than 255 characters.")
            )
        self._check_password()
        if len(self.exceptions) > _LONGEST_LIST:
            raise FormError(
                FormField.EXCEPTIONS,
                tr(
                    "The list can have up to {n} characters. A domain includes its subdomains.",
                    n=_LONGEST_LIST,
                ),
            )
        listed = entries(self.exceptions)
        try:
            Exceptions.of(listed)
        except BadExceptionError as error:
            raise FormError(
                FormField.EXCEPTIONS,
                tr(
                    "{entry} isn't a host name or address. Use something like intranet.example.com "
                    "or 10.0.0.0/8.",
                    entry=error.entry,
                ),
            ) from None
        return ProxySettings(
            use=self.use, address=address, user=user, exceptions=listed, names_at_proxy=self.names_at_proxy
        )

    def _check_password(self) -> None:
        password = self.password or ""
        if not password.isprintable() or len(password.encode()) > _LONGEST:
            raise FormError(
                FormField.PASSWORD,
                tr("A password can't contain line breaks or be longer than 255 characters."),
            )


def _check_address(address: str) -> None:
    if len(address) > _LONGEST_ADDRESS:
        raise FormError(FormField.ADDRESS, _ADDRESS[AddressFault.FORM])
    try:
        Proxy.typed(address)
    except BadAddressError as error:
        raise FormError(FormField.ADDRESS, _ADDRESS[error.fault]) from None
