"""Published content from the service's content history, stored on this computer."""
