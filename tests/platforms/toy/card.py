"""Toy: short notes without files."""

from typing import Final

from app.contract.enums import PostType
from app.language import gettext_noop
from app.platforms.card import (
    Access,
    Brand,
    Card,
    DailyCap,
    Hosts,
    Loopback,
    Pages,
    PlatformRules,
    Registration,
    Step,
)

_TYPES: Final = frozenset({PostType.TEXT})

TOY: Final = Card(
    key="toy",
    name="Toy",
    hosts=Hosts(
        consent="https://toy.example",
        issuer="https://api.toy.example",
        api="https://api.toy.example",
        version="v1",
        people="https://toy.example",
    ),
    registration=Registration(
        loopback=Loopback.TAKEN,
        portal="https://toy.example/apps",
        steps=(Step(gettext_noop("Create an app and copy its ID and secret.")),),
    ),
    access=Access.HOURS,
    posts=PlatformRules(source="made up", text_max=500, post_types=_TYPES, publishable=_TYPES),
    daily_cap=DailyCap(50, "made up"),
    pages=Pages(content_id=r"\d{1,20}", content="https://toy.example/notes/{}"),
    brand=Brand(color="#336699", at_sign=True),
    other_names=("ty",),
)
