"""The platforms' rules for posts: pure and quick to import, shared by app and service.

``check`` tells whether a platform would accept a post, ``length_of`` how long a text is there, and ``RULES``
has the limits. Anything that can't be published yet is refused here, and nowhere else.
"""

from app.platforms.card import FileRules, PlatformRules, TextUnit
from app.platforms.rules.checking import RuleIssue, check, check_file, not_publishable, not_reachable
from app.platforms.rules.files import MediaFacts, kind_name
from app.platforms.rules.tables import FILES, RULES, Length, count, length_of, post_rules

__all__ = [
    "FILES",
    "RULES",
    "FileRules",
    "Length",
    "MediaFacts",
    "PlatformRules",
    "RuleIssue",
    "TextUnit",
    "check",
    "check_file",
    "count",
    "kind_name",
    "length_of",
    "not_publishable",
    "not_reachable",
    "post_rules",
]
