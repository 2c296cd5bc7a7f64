"""Rate limits by key, action and plan."""
