"""Addresses that no service may call."""

PRIVATE = (
    "https://127.0.0.1/grey.png",
    "https://localhost/grey.png",
    "https://10.0.0.1/grey.png",
    "https://172.16.0.1/grey.png",
    "https://192.168.0.1/grey.png",
    "https://169.254.169.254/latest/meta-data",
    "https://[::1]/grey.png",
    "https://[fd00::1]/grey.png",
    "https://2130706433/grey.png",
    "https://0x7f.1/grey.png",
    "https://[::ffff:10.0.0.1]/grey.png",
)
"""Private addresses in several notations."""
