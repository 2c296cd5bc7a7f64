"""Threads: its collection of samples, and its official sample program."""

from typing import Final

from tests.platforms.specs.described.words import (
    SECRET_CLIENT,
    TEXT,
    call,
    document,
    form,
    like,
    one_of,
    record,
)

_PROFILE: Final = "id|username|name|is_verified|threads_profile_picture_url|threads_biography"
DOCUMENT: Final = document(
    {
        "post /oauth/access_token": call(
            body=form(
                record(grant_type=one_of("authorization_code"), code=TEXT, redirect_uri=TEXT, **SECRET_CLIENT)
            )
        ),
        "get /access_token": call(
            query={"grant_type": one_of("th_exchange_token"), "client_secret": TEXT}, scopes=()
        ),
        "get /refresh_access_token": call(query={"grant_type": one_of("th_refresh_token")}, scopes=()),
        "get /v1.0/me": call(query={"fields": like(f"(({_PROFILE})(,|$))+")}, scopes=("threads_basic",)),
    }
)
