"""The specification, rule by rule, over the wire: nothing here knows the program behind the base URL."""
