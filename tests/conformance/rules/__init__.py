"""The rules, with one file per section of the specification."""
