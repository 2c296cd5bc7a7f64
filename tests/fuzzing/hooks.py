"""Hooks for schemathesis: half of the generated posts use existing accounts, so that they get further."""

import json
import os
import random
from typing import Any

import schemathesis

_ACCOUNTS: dict[str, str] = json.loads(os.environ.get("FUZZED_ACCOUNTS", "{}"))


@schemathesis.hook
def map_body(_context: Any, body: Any) -> Any:
    """Insert an existing account into a body that looks like a post."""
    posts = body.get("posts", [body]) if isinstance(body, dict) else []
    for post in posts if isinstance(posts, list) else []:
        if isinstance(post, dict) and str(post.get("platform")) in _ACCOUNTS and random.random() < 0.5:  # noqa: S311
            post["social_account_id"] = _ACCOUNTS[post["platform"]]
    return body
