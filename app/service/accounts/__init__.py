"""Principals: accounts, their plans, and the keys that speak for them."""
