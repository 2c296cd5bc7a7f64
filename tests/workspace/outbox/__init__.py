"""What is wanted, and bringing it to the service."""
