"""The platforms' rules for a post, for those who may not know the platforms' room."""

from app.platforms.rules import (
    RULES,
    Length,
    MediaFacts,
    PlatformRules,
    RuleIssue,
    TextUnit,
    check,
    check_file,
    count,
    kind_name,
    length_of,
    post_rules,
)

__all__ = [
    "RULES",
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
    "post_rules",
]
