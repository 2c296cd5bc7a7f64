"""What was promised and is not confirmed yet."""
