"""What several panes are made of: more than a widget, and no subject of its own."""
