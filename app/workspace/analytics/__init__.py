"""What platforms count of what was published, and what follows from it."""
