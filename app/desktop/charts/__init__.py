"""How the app draws charts: lines, sparklines, heat maps, bars. Nothing here knows what they are about."""
