"""What was published, as the service's content history tells it, kept here."""
