"""``serve``."""

import argparse

import structlog

from app.service.commands import values
from app.service.commands.base import Commands, add_command
from app.service.logs import configure_logs
from app.service.options import STOP_GRACE, STOP_GRACE_WITH_PARENT, WEBHOOK_BACKOFF_DEFAULT, RunOptions
from app.service.store.folder import DataFolder

_log = structlog.get_logger(__name__)


def add(commands: Commands) -> None:
    serve = add_command(commands, "serve", _serve, "listen, publish, and keep everything in the data folder")
    serve.add_argument("--host", default="127.0.0.1", help="address to listen on")
    serve.add_argument("--port", type=values.port, default=0, help="port to listen on; 0 takes a free one")
    serve.add_argument("--callback-port", type=values.port, help="port that browsers come back to")
    serve.add_argument(
        "--practice-url", type=values.http_url, help="use the practice platforms at this address"
    )
    serve.add_argument("--exit-with-parent", action="store_true", help="end when stdin closes")
    serve.add_argument("--allow-private-network", action="store_true", help="let webhooks reach this network")
    serve.add_argument("--extra-ca", type=values.file, metavar="FILE", help="trust these authorities, too")
    serve.add_argument(
        "--webhook-backoff",
        type=values.seconds,
        default=WEBHOOK_BACKOFF_DEFAULT,
        metavar="SECONDS",
        help="waits before retries, as 10,60,300",
    )
    serve.add_argument("--rate-limit", choices=("on", "off"), default="on", help="limit calls per key")


def _serve(options: argparse.Namespace) -> None:
    from app.service.serve import ServeOptions, serve
    from app.service.settings import read_settings

    settings = read_settings(DataFolder(options.data).settings)
    configure_logs(settings.log_level)
    _warn_of_open_doors(options)
    serve(
        ServeOptions(
            data=options.data,
            host=options.host,
            port=options.port,
            callback_port=options.callback_port,
            exit_with_parent=options.exit_with_parent,
            run=RunOptions(
                practice_url=options.practice_url,
                allow_private_network=options.allow_private_network,
                extra_ca=options.extra_ca,
                webhook_backoff=options.webhook_backoff,
                rate_limit=options.rate_limit == "on",
                stop_grace=STOP_GRACE_WITH_PARENT if options.exit_with_parent else STOP_GRACE,
            ),
        ),
        settings,
    )


def _warn_of_open_doors(options: argparse.Namespace) -> None:
    if options.allow_private_network:
        _log.warning("webhooks and imports may reach private addresses", option="--allow-private-network")
    if options.extra_ca:
        _log.warning("webhooks and imports trust further authorities", option="--extra-ca")
