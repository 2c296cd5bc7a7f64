"""The accounts that are connected, and connecting more of them."""
