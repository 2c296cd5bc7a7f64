"""The platforms' rules for a post, for those who may not know the platforms' room."""

from app.platforms.rules import RULES, PlatformRules, RuleIssue, check, measure

__all__ = ["RULES", "PlatformRules", "RuleIssue", "check", "measure"]
