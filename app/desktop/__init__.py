"""The desktop app: what the person sees and does. Knows no HTTP."""
