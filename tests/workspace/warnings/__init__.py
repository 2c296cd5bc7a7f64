"""What will fail of what is planned."""
