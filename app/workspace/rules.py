"""The platforms' rules for a post, for those who may not know the platforms' room."""

from app.platforms.rules import (
    RULES,
    MediaFacts,
    PlatformRules,
    RuleIssue,
    TextUnit,
    check,
    check_file,
    kind_name,
    length_of,
)

__all__ = [
    "RULES",
    "MediaFacts",
    "PlatformRules",
    "RuleIssue",
    "TextUnit",
    "check",
    "check_file",
    "kind_name",
    "length_of",
]
