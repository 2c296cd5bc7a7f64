"""Catalogues of what the service has, stored on this computer."""
