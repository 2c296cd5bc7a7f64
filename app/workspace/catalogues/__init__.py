"""What was published, what platforms counted, and which files there are, kept here."""
