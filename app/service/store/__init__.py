"""The service's rows: tables, migrations, and the secrets that are sealed inside them."""
