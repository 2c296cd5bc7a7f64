"""What can be taken back, and done again."""
