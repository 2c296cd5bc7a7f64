"""Accounts, their plans, and the keys that authenticate them."""
