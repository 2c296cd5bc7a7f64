"""Connected accounts as the app sees them."""
