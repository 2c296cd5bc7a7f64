"""What will fail of what is planned, and what to do about it."""
