"""The service's database: tables, migrations, and the secrets encrypted in them."""
