"""What can be taken back."""
