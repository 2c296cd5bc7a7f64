"""The list of what will fail."""
