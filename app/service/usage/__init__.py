"""Plan, counters per action and month, and storage."""
