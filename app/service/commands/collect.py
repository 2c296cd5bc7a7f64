"""``collect``: collect metrics now, regardless of the schedule."""

import argparse
import asyncio

from app.database import Database
from app.service.clock import system_clock
from app.service.commands import values
from app.service.commands.base import Commands, add_command, answer, installed
from app.service.installation import Installation


def add(commands: Commands) -> None:
    collect = add_command(commands, "collect", _collect, "collect metrics from the platforms now")
    collect.add_argument(
        "--practice-url",
        type=values.http_url,
        help="practice platforms, if no running service knows them",
    )


def _collect(options: argparse.Namespace) -> None:
    there = installed(options)
    database = there.open_database()
    try:
        practice_url = options.practice_url or there.announced().get("practice_url")
        rows = asyncio.run(_sample_everything(there, database, practice_url))
    finally:
        database.close()
    answer(rows=rows)


async def _sample_everything(there: Installation, database: Database, practice_url: str | None) -> int:
    from app.platforms.registry import build_adapters
    from app.service.analytics.collecting import Collector
    from app.service.assembly import make_platforms
    from app.service.connections.platforms import Platforms
    from app.service.connections.tokens import TokenKeeper
    from app.service.store.seal import open_seal

    with there.preparing(database):
        seal = open_seal(there.folder)
    async with build_adapters(
        practice_url, instagram_login=there.settings.instagram_login, way=there.way()
    ) as adapters:
        known = make_platforms(adapters, there, practice=practice_url is not None)
        usable = {name: adapters[name] for name in adapters if name in known.credentials}
        platforms = Platforms(usable, known.credentials, known.apps)
        tokens = TokenKeeper(database, seal, platforms, system_clock)
        return await Collector(database, tokens, platforms.adapters, system_clock).collect_now()
