"""The rules, one file per section of the specification."""
