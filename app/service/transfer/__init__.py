"""Moving accounts between services: exports, imports, and which service has an account now."""
