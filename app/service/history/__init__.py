"""The log of what was published."""
