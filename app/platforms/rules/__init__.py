"""The rules that posts must keep on each platform: pure and quick to import, shared by app and service.

``check`` says whether a platform will take a post, ``measure`` how long a text is there, ``RULES`` holds the
numbers. Everything that cannot be published yet is refused here, and nowhere else.
"""

from app.platforms.rules.checking import RuleIssue, check, check_file, not_publishable, not_reachable
from app.platforms.rules.counting import measure
from app.platforms.rules.file_table import FILES, FileRules, MediaFacts
from app.platforms.rules.table import RULES, PlatformRules, TextUnit

__all__ = [
    "FILES",
    "RULES",
    "FileRules",
    "MediaFacts",
    "PlatformRules",
    "RuleIssue",
    "TextUnit",
    "check",
    "check_file",
    "measure",
    "not_publishable",
    "not_reachable",
]
