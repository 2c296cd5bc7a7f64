"""What the settings show about this computer: data folder, logs, backups, and the app's parts."""
