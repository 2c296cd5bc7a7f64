"""What is being written."""
