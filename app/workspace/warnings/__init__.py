"""What will fail, or may look wrong, of what is planned."""
