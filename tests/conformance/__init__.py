"""The specification, rule by rule, over the network. Nothing here knows the program behind the base URL."""
