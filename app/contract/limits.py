"""The limits of the specification, and a few of our own."""

from datetime import timedelta
from typing import Final

API_PREFIX: Final = "/api/v1"
COMPANION_PREFIX: Final = "/companion/v1"
INTEGRATIONS_PATH: Final = "/integrations"

PAGE_LIMIT_DEFAULT: Final = 20
PAGE_LIMIT_MAX: Final = 100
POST_RANGE_LIMIT_MAX: Final = 500
BOARDS_PAGE_SIZE_DEFAULT: Final = 25
BOARDS_PAGE_SIZE_MAX: Final = 100

DESCRIPTION_MAX: Final = 10_000
TITLE_MAX: Final = 500
IDEMPOTENCY_KEY_MAX: Final = 200
# The specification has no limit for these two, but our service needs one.
BATCH_ID_MAX: Final = 200
PINTEREST_BOARD_MAX: Final = 200
PINTEREST_LINK_MAX: Final = 2_048
BULK_POSTS_MAX: Final = 30

URL_MAX: Final = 8_192
"""Maximum length of a URL for which no other limit is named."""
FILENAME_MAX: Final = 255
UPLOAD_URL_LIFETIME: Final = timedelta(seconds=7_200)
ALT_TEXT_MAX: Final = 1_000
COVER_MS_MAX: Final = 7 * 24 * 3_600_000
"""Maximum cover time, in ms. No platform accepts a video that long."""
VIEW_URL_SECONDS_DEFAULT: Final = 300
VIEW_URL_SECONDS_MAX: Final = 3_600

ADDRESS_MAX: Final = 8_192
"""Maximum length of an address copied from a browser."""
CLIENT_ID_MAX: Final = 500
CLIENT_SECRET_MAX: Final = 1_000
HANDLE_MAX: Final = 300
APP_PASSWORD_MAX: Final = 100
SERVER_MAX: Final = 300
PACK_BYTES_MAX: Final = 65_536
PACK_MAKER_MAX: Final = 100
PACK_NOTE_MAX: Final = 500
PACK_PASSPHRASE_MIN: Final = 12
PACK_PASSPHRASE_MAX: Final = 1_000
PACK_SCOPES_MAX: Final = 30
EXPORT_PASSPHRASE_MIN: Final = 12
EXPORT_PASSPHRASE_MAX: Final = 1_000
EXPORT_MANIFEST_MAX: Final = 1_048_576
EXPORT_ROWS_MAX: Final = 4 * 1024**3
"""Maximum size of a file of rows in an export, in bytes."""
EXPORT_MEDIA_MAX: Final = 50_000_000_000
"""Maximum size of a media file in an export, in bytes. A plan may allow less."""
EXPORT_FILES_AT_ONCE: Final = 1_000
CONTENT_WARNING_MAX: Final = 1_000

CONNECTION_STATE_LIFETIME: Final = timedelta(minutes=15)

WEBHOOK_URL_MAX: Final = 2_048
WEBHOOK_EVENTS_MAX: Final = 20
WEBHOOK_TEST_TIMEOUT: Final = timedelta(seconds=10)
WEBHOOK_RETRIES: Final = 3
WEBHOOK_FAILURES_UNTIL_DISABLED: Final = 10

ANALYTICS_DAYS_DEFAULT: Final = 30
ANALYTICS_DAYS_MAX: Final = 90

API_KEY_PREFIX: Final = "stp_rest_"
API_KEY_HEX_DIGITS: Final = 64
ACCOUNT_IDENTIFIER_MAX: Final = 200
"""Maximum length of a platform's identifier of an account."""
API_KEY_NAME_MAX: Final = 100
WEBHOOK_SECRET_PREFIX: Final = "whsec_"  # noqa: S105  a prefix, not a secret
