"""What the settings know of this computer: data folder, logs, backups, and what the app is made of."""
