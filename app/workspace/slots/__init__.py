"""The times of a week at which accounts usually post."""
