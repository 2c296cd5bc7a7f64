"""The platforms' rules for a post, for those who may not know the platforms' room."""

from app.platforms.rules import RULES, MediaFacts, PlatformRules, RuleIssue, check, check_file, measure

__all__ = ["RULES", "MediaFacts", "PlatformRules", "RuleIssue", "check", "check_file", "measure"]
