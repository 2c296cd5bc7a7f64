"""Connected accounts, and connecting more of them."""
