"""Child processes of our own."""
