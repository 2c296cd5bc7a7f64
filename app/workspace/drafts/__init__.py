"""Ideas that are not planned yet."""
