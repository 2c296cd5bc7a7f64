"""What platforms counted, and which files there are, kept here."""
